"""Reading calls out of what models write: the map.

::

    contract.py        what every decoder promises (feed, finish), and what one call may cost
    patterns.py        patterns that know whether more text could change their answer
    source.py          text that arrives in pieces, read by generators that wait by themselves
    argument_strings.py  the strings inside a call's arguments, unescaped, while they come

    reply/             one reply as it arrives
      decoder.py         events out of chunks: the way in
      reader.py          through the prose, from one telling character to the next
      landmarks.py       what to look for in prose, made once for each form; markers.py one of them
      place.py           where a call stands: plain, doubted or shown (the one table of places)
      thinking.py        which part is thinking, in every dialect; fences.py code fences
      attempts.py        something that may be a call, until that is decided
      events_out.py      what goes out, and what is kept back until more is known
      hot_string.py      a long string argument, token by token
      forms.py           how calls look in a paradigm's replies: what a reader is told
      template_tokens.py tokens of chat templates that leak; made_up.py what is not the model's

    calls/             what all calls have in common, however they are written
      marked.py          behind a marker; bare.py without one; which_reader.py who reads it
      names.py           a name before its arguments, the first member of an object
      shape.py           which members make an object a call; offered.py which names are tools
      record.py          a call that is told of; draft.py one in JSON, sink.py any other
      pulled.py          drives the generator of a family

    families/          the ways in which the inside of a call is written
      json_*, python_*, tags, tag_values, xml, yaml*, raw, braces, text, line_values

    values/            what a value means: strict and lenient JSON, quotes, numbers, repairs

A reply goes: decoder -> reader -> (landmark, place) -> marked or bare -> a family -> draft or
sink -> events_out -> decoder. Where a call stands is decided in ``reply/place.py`` and nowhere
else; whether more text could change an answer follows from ``patterns.py`` and is written nowhere.
"""
