"""Reading calls out of what models write: the map.

::

    contract.py        what a decoder promises (feed, finish), and what it may read
    reply_form.py      what it looks for
    patterns.py        patterns that know whether more text could change their answer
    markers.py         markers, in every spelling
    markup.py          how a tag may be written, for reader, grammar and guard
    faults.py          why something cannot be read
    source.py          text that arrives in pieces, read by generators that wait by themselves
    hot_string.py      a long string argument, token by token
    argument_strings.py  the strings of an argument, as they arrive

    reply/             one reply as it arrives
      decoder.py         events out of chunks: the way in, and the short ways through
      reader.py          goes through prose from one character that may begin something to the next
      attempts.py        what may be a call: tries it, and decides what becomes of it
      marked.py          a call after a marker; which_reader.py chooses who reads a call
      landmarks.py       what to look for, made once for each form
      thinking_tokens.py the tokens between which models think; thinking.py reads thoughts
      fences.py          code fences: those around calls, and those that show code
      events_out.py      sends events; keeps text that may be a call until that is decided

    place/             where does a call stand, and does what follows doubt it?
      tracker.py         what the reader tells of a reply, and asks; verdict.py: the table of places
      kept.py            what is kept of a long text
      blocks.py          the blocks of a document, by markdown-it-py
      inline.py          what is open in a paragraph; json_value.py: which JSON value is
      words.py           what a person reads as words: sentences, introductions

    calls/             what all calls have in common, however they are written
      names.py           which names are tools; names that stand before their arguments
      shape.py           which members make an object a call
      record.py          one call, collected argument by argument; draft.py: the same for JSON
      pulled.py          drives the generator of a family; sink.py: where calls are told of
      completion.py      when a call is complete: with what closes it, or what decides

    families/          the ways in which the inside of a call is written
      json_*, python_*, yaml_*
      tags.py            a call in tags; elements.py: one tag, and where its text ends
      tag_values.py      what the text of an element means
      pairs.py           a name and pairs of key and value, in the signs that a payload declares
      line_values.py     values in quotes, brackets or neither; what a text means by its schema

    values/            what a value means, and how JSON is read
      lenient.py         the one reader of values: JSON, strict or not, and what is like it
      state.py           what it knows, what is open, and when it waits
      quotes.py          where a string ends, in JSON and in Python; strings.py: what is in it
      keys.py            the keys of members; string_stops.py: strings token by token
      brackets.py        where open brackets close: the one scanner of them
      strict.py          strict JSON at once, in C; spellings.py: numbers, words and escapes
      repairs.py         each departure from JSON, and how sure its repair is

A reply goes: decoder -> reader -> (landmark, place) -> attempt -> marked or bare -> a family ->
record -> events_out -> decoder. Where a call stands is decided in ``place/verdict.py``. Whether
more text could change an answer follows from ``patterns.py`` and is written nowhere.
What a module has for others is what begins without an underscore.
"""
