"""Between programs that have tools and a model that has words only; nothing here waits or sends.

::

    entry.py        the way in for programs; driving.py asks until the answer is one
    asked.py        what a client asked for, whatever API it speaks
    prompting.py    the request that the model gets; system_prompts.py its first message, kept
    exchange.py     one answer: what the model is asked, what goes out, and when to ask again
    calls.py        the calls of a reply on their way out; watching.py whether they may leave
    handing_on.py   an answer in the client's own API, handed on as it came; sameness.py as far as
                    it is, neutral_body.py the request to that
    verdict.py      whether a reply is what was asked for
    pieces.py       what goes back, piece by piece
    said_again.py   what a second reply repeats
    answers.py      responses given lately, for clients that leave the memory to the service
    terms.py        on what terms a model is asked
    admission.py    whether a body is a request; paths.py where it is meant to go
    failures.py     what a client is told instead of an answer; listing.py of models
"""
