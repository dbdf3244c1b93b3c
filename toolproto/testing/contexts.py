"""Contexts in which a call is shown, or may be: in every one, running it would be a mistake.

Models quote calls, explain them and think of them. :data:`CONTEXTS` holds the ways in which they
do, in many languages and notations; the law *place* puts a paradigm's own calls into each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from ..protocol.decoding.reply.thinking_tokens import Reasoning

__all__ = ["CONTEXTS", "CallContext"]


@dataclass(frozen=True, slots=True)
class CallContext:
    """A text around a call.

    A call in a *shown* context is text or reasoning; in any other it may be read, but carries the
    doubt of its place. *template* has a slot ``{call}``, or several for ways to write one; *prefix*
    goes before each further line of a call that has several. *talk* says that nothing but words
    around it puts the call in doubt, so that a special token, which nobody says, counts.
    """

    kind: str
    language: str
    template: str
    shown: bool = True
    prefix: str = ""
    talk: bool = False

    def around(self, call: str) -> str:
        """The text with *call* in it."""
        return self.template.replace("{call}", call.replace("\n", f"\n{self.prefix}"))


@dataclass(frozen=True, slots=True)
class _Words:
    """What is said about a call in one language.

    *before* and *behind* are sentences, *lead* and *trail* the two halves of one, and *first* goes
    on from a call that begins one. *quotes* are pairs of quotation marks; *space* stands between
    words.
    """

    before: str
    behind: str
    lead: str
    trail: str
    first: str
    quotes: Sequence[str] = ("“”",)
    space: str = " "


_LANGUAGES: Mapping[str, _Words] = {
    "English": _Words(
        "A call looks like this:", "That is only an example.", "Just write", "to get it.",
        "is what you would write.", ("“”", "‘’", '""', "''"),
    ),
    "German": _Words(
        "So sieht ein Aufruf aus:", "Das ist nur ein Beispiel.", "Man schreibt einfach",
        "und wartet dann.", "ist das, was man schreibt.", ("„“", "»«", "‚‘", "›‹"),
    ),
    "French": _Words(
        "Voici un appel :", "Ce n'est qu'un exemple.", "Il suffit d'écrire", "pour l'obtenir.",
        "est ce qu'on écrit.", ("«»", "« »", "“”", "‹›"),
    ),
    "Spanish": _Words(
        "Una llamada es así:", "Es solo un ejemplo.", "Basta con escribir", "para obtenerlo.",
        "es lo que se escribe.", ("«»", "“”", "‘’"),
    ),
    "Portuguese": _Words(
        "Uma chamada é assim:", "É apenas um exemplo.", "Basta escrever", "para obter isso.",
        "é o que se escreve.", ("“”", "«»"),
    ),
    "Italian": _Words(
        "Una chiamata è così:", "È solo un esempio.", "Basta scrivere", "per ottenerlo.",
        "è quello che si scrive.", ("«»", "“”"),
    ),
    "Dutch": _Words(
        "Zo ziet een aanroep eruit:", "Dat is maar een voorbeeld.", "Schrijf gewoon",
        "om het te krijgen.", "is wat je schrijft.", ("„”", "‘’", "“”"),
    ),
    "Swedish": _Words(
        "Ett anrop ser ut så här:", "Det är bara ett exempel.", "Skriv bara", "för att få det.",
        "är vad man skriver.", ("””", "’’", "»»"),
    ),
    "Finnish": _Words(
        "Kutsu näyttää tältä:", "Se on vain esimerkki.", "Kirjoita vain", "ja odota.",
        "on se, mitä kirjoitetaan.", ("””", "»»"),
    ),
    "Danish": _Words(
        "Et kald ser sådan ud:", "Det er kun et eksempel.", "Skriv bare", "for at få det.",
        "er det, man skriver.", ("»«", "„“"),
    ),
    "Polish": _Words(
        "Wywołanie wygląda tak:", "To tylko przykład.", "Wystarczy napisać", "i poczekać.",
        "to jest to, co się pisze.", ("„”", "«»"),
    ),
    "Czech": _Words(
        "Volání vypadá takto:", "To je jen příklad.", "Stačí napsat", "a počkat.",
        "je to, co se píše.", ("„“", "»«"),
    ),
    "Hungarian": _Words(
        "Egy hívás így néz ki:", "Ez csak egy példa.", "Csak írd be, hogy", "és várj.",
        "az, amit írni kell.", ("„”", "»«"),
    ),
    "Romanian": _Words(
        "Un apel arată așa:", "Este doar un exemplu.", "Scrie doar", "și așteaptă.",
        "este ceea ce se scrie.", ("„”", "«»"),
    ),
    "Russian": _Words(
        "Вызов выглядит так:", "Это только пример.", "Просто напишите", "и подождите.",
        "вот что нужно написать.", ("«»", "„“"),
    ),
    "Ukrainian": _Words(
        "Виклик виглядає так:", "Це лише приклад.", "Просто напишіть", "і зачекайте.",
        "ось що треба написати.", ("«»", "„“"),
    ),
    "Greek": _Words(
        "Μια κλήση είναι έτσι:", "Είναι μόνο παράδειγμα.", "Απλώς γράψτε", "και περιμένετε.",
        "είναι αυτό που γράφετε.", ("«»", "“”"),
    ),
    "Turkish": _Words(
        "Bir çağrı şöyle görünür:", "Bu sadece bir örnek.", "Sadece şunu yazın", "ve bekleyin.",
        "yazmanız yeterlidir.", ("“”", "«»"),
    ),
    "Arabic": _Words(
        "هكذا يبدو الاستدعاء:", "هذا مجرد مثال.", "اكتب فقط", "للحصول عليه.",
        "هو ما تكتبه.", ("«»", "“”", "”“"),
    ),
    "Hebrew": _Words(
        "כך נראית קריאה:", "זו רק דוגמה.", "פשוט כתבו", "כדי לקבל אותו.",
        "זה מה שכותבים.", ("“”", "״״", "„”"),
    ),
    "Persian": _Words(
        "یک فراخوانی این‌گونه است:", "این فقط یک نمونه است.", "فقط بنویسید", "و صبر کنید.",
        "همان چیزی است که می‌نویسید.", ("«»",),
    ),
    "Hindi": _Words(
        "एक कॉल ऐसा दिखता है:", "यह केवल एक उदाहरण है।", "आप बस", "लिख दीजिए।",
        "लिखना काफ़ी है।", ("“”", "‘’"),
    ),
    "Bengali": _Words(
        "একটি কল এমন দেখায়:", "এটি শুধু একটি উদাহরণ।", "শুধু", "লিখুন।",
        "লিখলেই হবে।", ("“”",),
    ),
    "Tamil": _Words(
        "ஒரு அழைப்பு இப்படி இருக்கும்:", "இது ஒரு உதாரணம் மட்டுமே.", "நீங்கள்", "என்று எழுதுங்கள்.",
        "என்று எழுதினால் போதும்.", ("“”",),
    ),
    "Thai": _Words(
        "การเรียกมีหน้าตาแบบนี้:", "นี่เป็นเพียงตัวอย่าง", "เพียงเขียน", "แล้วรอ",
        "คือสิ่งที่ต้องเขียน", ("“”",), "",
    ),
    "Vietnamese": _Words(
        "Một lời gọi trông như thế này:", "Đó chỉ là ví dụ.", "Chỉ cần viết", "để lấy nó.",
        "là điều cần viết.", ("“”",),
    ),
    "Indonesian": _Words(
        "Panggilan terlihat seperti ini:", "Itu hanya contoh.", "Cukup tulis", "lalu tunggu.",
        "adalah yang perlu ditulis.", ("“”",),
    ),
    "Georgian": _Words(
        "გამოძახება ასე გამოიყურება:", "ეს მხოლოდ მაგალითია.", "უბრალოდ დაწერეთ", "და დაელოდეთ.",
        "არის ის, რასაც წერენ.", ("„“",),
    ),
    "Korean": _Words(
        "호출은 이렇게 생겼습니다:", "이것은 예시일 뿐입니다.", "그냥", "라고 쓰세요.",
        "라고 쓰면 됩니다.", ("“”", "‘’", "「」"),
    ),
    "Japanese": _Words(
        "呼び出しは次のとおりです：", "これは例にすぎません。", "ただ", "と書いてください。",
        "と書けばよい。", ("「」", "『』", "“”", "〝〟", "｢｣"), "",
    ),
    "Chinese": _Words(
        "调用是这样的：", "这只是一个例子。", "只要写", "就可以了。",
        "就是要写的内容。", ("“”", "‘’", "「」", "《》"), "",
    ),
    "Traditional Chinese": _Words(
        "呼叫是這樣的：", "這只是一個例子。", "只要寫", "就可以了。",
        "就是要寫的內容。", ("「」", "『』", "﹁﹂"), "",
    ),
}  # fmt: skip


# -- code ---------------------------------------------------------------------------------


def _fences() -> Iterator[CallContext]:
    """Fences with talk: behind, before and around, in each language."""
    opened = cycle(("```\n", "```json\n", "~~~\n", "````json\n", "```tool_code\n", "~~~xml\n"))
    for language, words in _LANGUAGES.items():
        for around in ("{0}\n\n{1}{{call}}\n{2}\n\n{3}", "{1}{{call}}\n{2}\n{3}"):
            opener = next(opened)
            run = opener[: opener.count(opener[0])]
            text = around.format(words.before, opener, run, words.behind)
            yield CallContext("fence", language, text, shown=False)
        code = f"{words.before}\n```python\nx = 1  # {words.behind}\n{{call}}\n```"
        yield CallContext("fence with code", language, code)
        quote = f"{words.before}\n\n> ```json\n> {{call}}\n> ```\n\n{words.behind}"
        yield CallContext("fence in a quote", language, quote, prefix="> ")
        item = f"- {words.before}\n  ```json\n  {{call}}\n  ```\n- {words.behind}"
        yield CallContext("fence in a list", language, item, shown=False, prefix="  ")


def _nested_fences() -> Iterator[CallContext]:
    for outer, inner in (("````", "```"), ("~~~~", "~~~"), ("~~~", "```"), ("```", "~~~")):
        for info in ("", "markdown"):
            nested = f"{outer}{info}\n{inner}json\n{{call}}\n{inner}\n{outer}\nThat is Markdown."
            yield CallContext("nested fence", "English", nested, shown=False)
            led_to = f"{outer}{info}\nWrite:\n\n{inner}json\n{{call}}\n{inner}\n{outer}\n"
            yield CallContext("nested fence", "English", led_to)
    for language, words in _LANGUAGES.items():  # one that the inner one's end would have closed
        info = "json" if language < "L" else "sh"
        inner = f"```{info}\n{words.trail}\n```"
        text = f"```md\n{words.behind}\n{inner}\n\n{words.behind}\n\n{{call}}\n```\n"
        yield CallContext("nested fence", language, text, shown=False)
    for info in ("bash", "diff", "sql", "mermaid", "console", "c++", "{.sh}", " log", "thinking"):
        text = f"So it was.\n\n```{info}\n{{call}}\n```\n"
        yield CallContext("fence of another language", "English", text, shown=False)
    # A line that is indented closes no fence that is not: a program quotes it.
    quoted = '```python\ndef f():\n    """\n    ```\n    x\n    ```\n{call}\n    """\n```\nSo.'
    yield CallContext("fence with code", "English", quoted)
    for bullet in ("1. ", "* ", "+ ", "a) ", "• "):
        pad = " " * len(bullet)
        item = f"Ways:\n{bullet}First\n{pad}```\n{pad}{{call}}\n{pad}```\n{pad}or so.\n"
        yield CallContext("fence in a list", "English", item, shown=False, prefix=pad)


def _code() -> Iterator[CallContext]:
    for language, words in _LANGUAGES.items():
        s = words.space
        yield CallContext(
            "indented code", language, f"{words.before}\n\n    {{call}}\n\n{words.behind}",
            shown=False, prefix="    ",
        )  # fmt: skip
        single = f"{words.lead}{s}`{{call}}`{s}{words.trail}"
        yield CallContext("code span", language, single)
        over = f"{words.lead}{s}`x =\n{{call}}\n`{s}{words.trail}"
        yield CallContext("code span over lines", language, over, shown=False)
    for template in (
        "You get it with `` {call} ``.",
        "`{call}`",
        "- `{call}`: asks",
        "**`{call}`**",
        "(`{call}`)",
        "1. `f` or `{call}`",
    ):
        yield CallContext("code span", "English", template)
    for template in (
        "\n\n\t{call}\n",
        "Code:\n\n\n      {call}\n",
        "# A\n\n    x = 1\n    {call}\n",
    ):
        yield CallContext("indented code", "English", template, shown=False, prefix="\t")
    item = "- a\n\n      {call}\n"
    yield CallContext("indented code", "English", item, shown=False, prefix="      ")


# -- blocks that quote ----------------------------------------------------------------------


def _block_quotes() -> Iterator[CallContext]:
    for language, words in _LANGUAGES.items():
        quote = f"{words.before}\n\n> {{call}}\n\n{words.behind}"
        yield CallContext("block quote", language, quote, prefix="> ")
        many = f"> {words.before}\n>\n> {{call}}\n>\n> {words.behind}\n"
        yield CallContext("block quote", language, many, prefix="> ")
        lazy = f"> {words.lead}\n{{call}}\n\n{words.behind}"
        yield CallContext("lazy line", language, lazy, shown=False)
    for lead in (
        "> > ",
        ">> ",
        "> > > ",
        ">\t",
        "  > ",
        "- > ",
        "1. > ",
        "> - ",
        "> 1. ",
        "* > - ",
    ):
        quote = f"They wrote:\n\n{lead}{{call}}\n"
        yield CallContext("block quote", "English", quote, prefix="> ")
    for lead in ("&gt; ", "＞ ", "|> "):
        yield CallContext("block quote", "English", f"{lead}{{call}}\n", prefix=lead)


def _mail_and_logs() -> Iterator[CallContext]:
    for name in ("On Monday, Ann wrote:", "Am Montag schrieb Ann:", "Le lundi, Ann a écrit :"):
        yield CallContext("mail", "English", f"{name}\n> Hi,\n> {{call}}\n> Ann\n", prefix="> ")
        yield CallContext("mail", "English", f"{name}\n>> {{call}}\n> no\n", prefix=">> ")
    for text in ("उपयोगकर्ता: अनु\nसहायक: राम\n\n{call}\n", "பயனர்: அனு\nஉதவியாளர்: ராம்\n\n{call}\n"):
        yield CallContext("mail", "Hindi" if text < "ப" else "Tamil", text, shown=False)
    for lead in (
        "2024-05-01 12:00:01 INFO model said ", "[12:00:01] assistant ", "[10:11, 1/2/2026] Ann: ",
        "Jan 01 12:00:00 host app[12] ", "ann> ", "root@a:~# ", "~/a $ ", "C:\\> ", "    12\t",
        "[12:00] ", "[1735725600] ", "[INFO] So it is. ", "f(x, ", "irb(main):001:0> ",
    ):  # fmt: skip
        text = f"The log says\n{lead}{{call}}\n"
        yield CallContext("log", "English", text, shown=False)
    for lead in (
        "DEBUG raw_output=", "127.0.0.1 - - ", "$ echo ", "+ ", "stdout | ", "output=", "text= ",
    ):  # fmt: skip
        yield CallContext(
            "log", "English", f"The log says\n{lead}{{call}}\n", shown=False, talk=True
        )


_ELEMENTS = (
    "pre", "code", "blockquote", "q", "samp", "kbd", "textarea", "script", "style", "template",
    "xmp", "cite", "example", "del", "strike", "tt", "quote", "noscript", "iframe", "title",
)  # fmt: skip


def _elements() -> Iterator[CallContext]:
    for name in _ELEMENTS:
        yield CallContext("element", "HTML", f"See <{name}>{{call}}</{name}> there.")
        yield CallContext("element", "HTML", f"<{name}>\n{{call}}\n</{name}>\n")
        yield CallContext("element", "HTML", f'<{name} class="a">\n\nSo:\n{{call}}\n\n</{name}>')
        yield CallContext("element", "HTML", f"<{name.upper()}>x\n{{call}}</{name.upper()} >")
    for template in (
        "<!-- {call} -->", "<!--\n{call}\n-->\nDone.", "Text: <!--\n\n{call}\n--> more.",
        "<pre><code>\n{call}\n</code></pre>",
        '<pre lang="json"><code class="x">{call}</code></pre>',
        "<details><summary>Example</summary>\n\n```json\n{call}\n```\n\n</details>\nThat is all.",
        "<blockquote>\n<p>He wrote</p>\n{call}\n</blockquote>",
    ):  # fmt: skip
        yield CallContext("element", "HTML", template, shown="details" not in template)


def _other_markup() -> Iterator[CallContext]:
    for name in ("verbatim", "lstlisting", "minted", "alltt", "quote", "quotation", "Verbatim"):
        text = f"\\begin{{{name}}}\n{{call}}\n\\end{{{name}}}\n"
        yield CallContext("markup", "LaTeX", text)
    for name in ("code", "quote", "CODE", "noparse"):
        yield CallContext("markup", "BBCode", f"[{name}]{{call}}[/{name}]")
        yield CallContext("markup", "BBCode", f"Look:\n[{name}=x]\n{{call}}\n[/{name}]\nSo.")
    for name in ("src json", "example", "quote", "SRC", "verse"):
        end = name.split()[0]
        text = f"#+BEGIN_{name}\n{{call}}\n#+END_{end}\n"
        yield CallContext("markup", "org-mode", text)
        yield CallContext(
            "markup", "org-mode", f"Text.\n{text.lower()}".replace("{call}", "{call}")
        )
    for lead in ("Like this::", "::", ".. code-block:: json", ".. code::", ".. parsed-literal::"):
        text = f"{lead}\n\n   {{call}}\n\nThat was it.\n"
        yield CallContext("markup", "reST", text, shown=False, prefix="   ")
    for lead in ("..\n   So.", ".. So it is."):
        text = f"{lead}\n\n   {{call}}\n\nThat was it.\n"
        yield CallContext("markup", "reST", text, shown=False, prefix="   ")
    for name in ("code", "code:json", "noformat", "quote", "code:title=a|lang=json"):
        text = f"{{{name}}}\n{{call}}\n{{{name.split(':')[0]}}}\n"
        yield CallContext("markup", "Jira", text)
    for name in ("nowiki", "syntaxhighlight", "source"):
        yield CallContext("markup", "MediaWiki", f"<{name}>{{call}}</{name}>")


def _blocks() -> Iterator[CallContext]:
    """Blocks between lines of signs."""
    for begin, end in (
        ("....", "...."), ("====", "===="), ("$$", "$$"), ("{{{", "}}}"), (":::note", ":::"),
        ("/*", "*/"), ("cat <<EOF", "EOF"), ("$ python - <<'END'", "END"), ("!!! note", ""),
        ('x = """', '"""'), ("'''", "'''"), ('"""', '"""'), ("::: example", ":::"),
        ("----", "----"), ("____", "____"), ("++++", "++++"), ("////", "////"), ("****", "****"),
        ("----- Original message -----", ""), ("+++", "+++"), ("%%%", "%%%"), ("@@@", "@@@"),
        ("↓", "↑"), ("---", "---"), ("{", "}"), ("&lt;pre&gt;", "&lt;/pre&gt;"),
        ("<ol><li>", "</li></ol>"),
    ):  # fmt: skip
        text = f"Look:\n\n{begin}\n{{call}}\n{end}\n\nThat was it."
        yield CallContext("block", "English", text, shown=False)
    for begin, end in (
        ("{% raw %}", "{% endraw %}"), ("{{< highlight json >}}", "{{< /highlight >}}"),
        ("<?php", "?>"), ("#if 0", "#endif"), ("BEGIN", "END"), ("f(", ")"),
        ("@@ -1,2 +1,2 @@", "+x"), ('  File "a.py", line 1, in f', "Error: x"),
    ):  # fmt: skip
        text = f"Look:\n\n{begin}\n{{call}}\n{end}\n\nThat was it."
        yield CallContext("block", "English", text, shown=False, talk=True)
    for begin, end in (
        ("/*", "*/"), ("(*", "*)"), ("{-", "-}"), ("--[[", "]]"), ("=begin", "=end"),
        ("<%--", "--%>"), ("#|", "|#"), ("<#", "#>"), ("%{", "%}"), ("cat <<'END' > a", "END"),
        ("\\begin{example}", "\\end{example}"), ("<bad_example>", "</bad_example>"),
        ("<draft>", "</draft>"), ('<file p="a">', "</file>"), ("<tool_output>", "</tool_output>"),
        ("<Beispiel>", "</Beispiel>"), ("<div>", "</div>"), ("<user_message>", "</user_message>"),
        ("=pod", "=cut"), ("'Do this:", "now'"), ('"Do this:', 'now"'), (",,So", "so''"),
        ("<<So", "so>>"), ("Thinking...", "...done thinking."), ("&lt;pre&gt;", "&lt;/pre&gt;"),
        ("Hm <plan>so", "</plan>"), ("<Überlegung>so", "</Überlegung>"),
        ("＜think＞", "＜/think＞"), ("- a <note>", "</note>"), ("<思考>", "</思考>"),
        ("Well, <step>let me see.", "Hm.</step>"),
        ("#=", "=#"), ("/+", "+/"), ("{#", "#}"), ("@*", "*@"), ("##[", "]##"), ("<%#", "%>"),
        ("{{!--", "--}}"), (":::tip", ":::"), ("::: {.x}", ":::"), ("[Thinking]", "[/Thinking]"),
        ("[思考]", "[/思考]"), ("[i]", "[/i]"), ("[BEGIN THOUGHT]", "[END THOUGHT]"),
        ("{thinking}", "{/thinking}"), ("[USER]", "[/USER]"), ("{{think}}", "{{/think}}"),
        ("【思考】", "【回答】"), ("⟦think⟧", "⟦/think⟧"), ("〔思〕", "〔答〕"),
        ("«think»", "«/think»"), ("（思考）", "（完）"), ("〈思考〉", "〈/思考〉"),
        ("[[plan]]", "[[/plan]]"), ("[विचार]", "[/विचार]"), ("<ความคิด>", "</ความคิด>"),
        ("[சிந்தனை]", "[/சிந்தனை]"), ("[source,xml]", "So."), ("----", "----"), ("====", "===="),
        ("....", "...."), ("++++", "++++"), ("////", "////"), ("$$", "$$"), ("<<<", ">>>"),
        ("-----BEGIN A-----", "-----END A-----"), ("@@@ note", "@@@"), ("´´´", "´´´"),
        ("｀｀｀", "｀｀｀"), ("'''json", "'''"), ('x = """', '"""'), ('"""So it is.', '"""'),
        ("<<<<<<< HEAD", "======="), ("$x = <<<TXT", "TXT;"), ("{% raw %}", "{% endraw %}"),
        ("{{< highlight xml >}}", "{{< /highlight >}}"), ("{{quote|", "}}"), ("f() {", "}"),
        ("x = [", "]"), ("const x = `", "`;"), ("OK. {think}", "{/think}"),
        ("OK. 【思考】", "【/思考】"), ("OK. &lt;think&gt;", "&lt;/think&gt;"),
        ("::::note", "::::"),
        ("─────", "─────"), ("┌────┐", "└────┘"), ("▬▬▬▬", "▬▬▬▬"), ("•••••", "•••••"),
        ("=== THOUGHT ===", "=== ANSWER ==="), ("--- plan ---", "--- end ---"), ("<?php", "?>"),
        ("#if 0", "#endif"), ("#region x", "#endregion"), ("{{#example}}", "{{/example}}"),
        ("{{begin-quote}}", "{{end-quote}}"), ("#+begin_center", "#+end_center"), ("${", "}"),
        ("《思考》", "《/思考》"), ("［思考］", "［/思考］"), ("OK<plan>so", "</plan>"),
        ("好的<plan>", "</plan>"), ("They wrote ,,so", "so''"), ("<\u2060!-- so", "-->"),
        ("<\u200b|think|>", "<|/think|>"), ("<callout>", "</callout>"), ("[recall]", "[/recall]"),
        ("<transaction>", "</transaction>"), ("<tooltip>", "</tooltip>"), ("<call_log>", "</>"),
        ('<message from="Ann">', "</message>"), ("|===", "|==="), ("%%", "%%"), (">>>", ">>>"),
        ("/// note", "///"), ("8<----", "---->8"), ("[size=2]", "[/size]"), ("[b=x]So.", "[/b]"),
        ("----- BEGIN LOG -----\n", "----- END LOG -----"), ("=== a ===\n", "=== b ==="),
        ("cat <<eof", "eof"), ("cat <<-E1 > a", "E1"), ("cat <<\\EOF", "EOF"),
        ("[Thinking] Hm.", ""),
        ("Well. [Thought]Hm.", "[/Thought]"), ("【思考】嗯。", "【/思考】"), ("{{think}} Hm.", ""),
        ("OK. ‹thinking›Hm.", "‹/thinking›"), ("So I [Thinking] hm.", ""), ("OK. ❮think❯ Hm.", ""),
        ("((thinking)) Hm.", "((/thinking))"), ("[|think|]Hm.", "[|/think|]"),
        ("\\[think\\] Hm.", "\\[/think\\]"), ("%think%Hm.", "%/think%"), ("#think", "#/think"),
        ("[Denken] Hm.", ""), ("【Réflexion】Hm.", ""), ("[Pensamiento] Hm.", ""),
        ("【Myślenie】Hm.", ""), ("[Размышление] Hm.", ""), ("【Σκέψη】Hm.", ""),
        ("[Düşünce] Hm.", ""), ("[تفكير] Hm.", ""), ("[চিন্তা] Hm.", ""), ("[생각] 음.", ""),
        ("[思考开始] 嗯。", "[思考结束]"), ("[Suy nghĩ] Hm.", ""), ("[ความคิด] Hm.", ""),
    ):  # fmt: skip
        text = f"{begin}\nSo.\n\n{{call}}\n{end}\nNo."
        yield CallContext("block with a closing line", "English", text, shown=False)
    for head in ("@@ -1 +1,2 @@", "*** Update File: a\n@@"):
        text = f"{head}\n So it is.\n \n {{call}}\n+So.\n"
        yield CallContext("block with a closing line", "English", text, shown=False, prefix=" ")
    for sign in ("|2", ">+", "|-", "|2-", "| # So.", "!!str |"):
        text = f"a: {sign}\n  So it is.\n\n  {{call}}\nb: c\n"
        yield CallContext("block", "English", text, shown=False, prefix="  ")
    for stamp in ("2026-01-31 09:59:58 INFO agent:", "May  1 12:00:01 host run[12]:", "In [3]:"):
        text = f"It says\n{stamp} {{call}}\n"
        yield CallContext("log", "English", text, shown=False)


def _amid_talk() -> Iterator[CallContext]:
    """A line that leads to a call, and talk below it."""
    for language, words in _LANGUAGES.items():
        for text in (
            f"{words.before}\n\n{{call}}\n\n{words.behind}",
            f"{words.before}\n{{call}}\n{words.first}",
            f"{words.lead}\n\n{{call}}\n\n{words.trail}",
            f"### {words.lead}\n\n{{call}}\n\n{words.behind}",
            f"**{words.before}**\n{{call}}\n\n**{words.behind}**",
            f"- {words.before}\n{{call}}\n- {words.behind}",
        ):
            yield CallContext("amid talk", language, text, shown=False, talk=True)
    for above, below in (
        ("Input:", "Output:\n\nnone"), ("Before", "After"), ("Wrong:", "Right:"),
        ("Hi Ann,", "Best,\nBob"), ("Bob wrote,", "and Ann laughed."),
        ("**You:** hi\n\n**Bot:**", "**You:** ok"), ("Option A", "Option B"),
        ("Syntax\n------", "Arguments\n---------"), ("---", "---"),
        ("=== a.txt ===", "=== end ==="), ("═════", "═════"),
        ("-----BEGIN REPLY-----", "-----END REPLY-----"), ("*** START ***", "*** END ***"),
        ("$ cat a.txt", "$ exit"), ("# cat a.txt", "# exit"), ("ghci> main", "ghci> :q"),
        ("stdout:", "exit code: 0"), ("> a", "> b"), ("Bob commented:", "3 likes"),
        ("1. First:", "2. Second:"), ("💬 Bob:", "💬 Ann"),
        ("--bound\nContent-Type: text/plain", "--bound--"), ("Posted by bob", "12 comments"),
        ("panicked at a.rs:1:2:", "note: run it again"), ("def f():\n    return 1", "x = 1"),
        ("## Thinking", "## Answer\n\nNo."), ("Thought:", "Final Answer:\n\nNo."),
        (".Example\n====", "===="), (":DRAWER:", ":END:"), ("___ test ___", "___ b ___"),
        ("### User\nhi\n\n### Assistant", "### User\nok"), ("Figure 1: a call", "Figure 2: none"),
        ("In [3]: x", "In [4]: y"), ("Traceback:", "1 error"),
        ("[ERROR] So:", "[ERROR] It is over."),
    ):  # fmt: skip
        text = f"{above}\n\n{{call}}\n\n{below}\n"
        yield CallContext("amid talk", "English", text, shown=False, talk=True)
    # Talk that begins as a call, a fence or what closes one might, and more than one way.
    for below in (
        "`a` is it.", "``a`` is it.", "[a](b.md) is it.", "[a] is it.",
        "<b>a</b> is it.", "<a> is it.", "<!-- so -->", "<- so", "~/a is it.", "~~a~~ b", "❌ so",
    ):  # fmt: skip
        for text in (f"So it is:\n{{call}}\n{below}\n", f"So it is. {{call}} {below}\n"):
            yield CallContext("amid talk", "English", text, shown=False, talk=True)
    for text in (
        "Option A:\n\n{call}\n\nOption B:\n\n{call}\n", "Not so:\n{call}\nbut so:\n{call}",
        "1.\n{call}\n2.\na\n", "{call}~~\n", "{call} ❌\n",
    ):  # fmt: skip
        yield CallContext("amid talk", "English", text, shown=False, talk=True)


def _messages() -> Iterator[CallContext]:
    """What others sent, over HTTP or in a chat, and what is indented below a colon."""
    for first in ("HTTP/1.1 200 OK", "HTTP/2 404", "POST /v1/chat HTTP/1.1", "< HTTP/1.1 200 OK"):
        for more in ("", "Content-Type: text/plain\n", "Host: a.b\nContent-Length: 12\n"):
            text = f"It sent this.\n\n{first}\n{more}\n{{call}}\n"
            yield CallContext("message", "HTTP", text, shown=False)
    for text in (
        "Speaker 1 (00:01): hi\nSpeaker 2 (00:04): {call}\n",
        "[12:03] Bob: hi\n[12:04] Ann: {call}\n", "Q: hi\nA: {call}\n",
        "👤 hi\n🤖 {call}\n👤 ok\n", "user> hi\nassistant> {call}\n", "@bob\n{call}\n@ann\nok\n",
        "00:00:01,000 --> 00:00:04,000\n{call}\n\n2\n",
        "bob — Today at 12:03\n{call}\nann — Today\n", "event: message\ndata: {call}\n\n",
        "12:03 <bob> {call}\n", "{call} -- Bob\n", "Bob (to Ann): {call}\n",
        "BOB\n(whispers)\n{call}\n\nANN\nOh.\n", "target:\n\t{call}\n", "def f():\n    {call}\n",
        "if x:\n    So it is.\n    {call}\n",
    ):  # fmt: skip
        yield CallContext("message", "English", text, shown=False, talk=True)


def _labels() -> Iterator[CallContext]:
    """What stands before a call and is no sentence: a name, a label, a number."""
    for label in (
        "Ann:", "Usage:", "Step 1:", "Example:", "**Syntax:**", "- Ann:", "* **Call**:", "Q:",
        "file.py:12:", "INFO:", "Out[1]:", "12:00 ann:", "Subject:", ":param x:", "DEBUG:root:",
        "Пример:", "例：", "مثال:", "उदाहरण:", "예 :", "ตัวอย่าง:", "Παράδειγμα:", "דוגמה:",
        "Exemple :",
        "...", "!", "h1.", "@example", "call →", "{{", "(", "<li>", "- So it is.",
    ):  # fmt: skip
        text = f"{label} {{call}}\n"
        yield CallContext("label", "English", text, shown=False, talk=True)
    for label in ("Ann:", "Usage:", "Step 1:", "Ann (12:00):", "例：", "Пример:"):
        text = f"{label}\n{{call}}\n"
        yield CallContext("label", "English", text, shown=False, talk=True)
    for text in (
        "From: Ann\nTo: Bob\nSubject: Hi\n\n{call}\n",
        "-------- Forwarded message --------\nFrom: Ann <a@b.c>\nDate: Monday\n\n{call}\n",
        "Von: Ann\nGesendet: Montag\nAn: Bob\n\n{call}\n",
        "发件人: 安\n主题: 你好\n\n{call}\n",
    ):
        yield CallContext("mail", "English", text, shown=False)
    for text in (
        "Ann: Hi there.\nBob: Hello.\n{call}\nAnn: No!\n",
        "安：你好。\n鲍勃：你好！\n\n{call}\n\n安：不！\n",
        "Аня: Привет.\nБоря: Да.\n{call}\nАня: Нет!\n",
    ):
        yield CallContext("chat", "English", text, shown=False, talk=True)
    for text in ("Ann: hi\nBob: hello\n\n{call}\n", "안: 안녕\n밥: 응\n{call}\n"):
        yield CallContext("chat", "English", text, shown=False)


def _signs() -> Iterator[CallContext]:
    """Signs around a call, which nobody says: comments, markup, what is assigned."""
    for text in (
        "# {call}", "// {call}", "/* {call} */", "-- {call}", "; {call}", "% {call}",
        "(* {call} *)",
        "{# {call} #}", "<%-- {call} --%>", "{{ {call} }}", "**{call}**", "_{call}_", "+{call}",
        "Write ={call}= so.", "Write ~{call}~ so.", "\\texttt{{call}} is it.", "print({call})",
        "x = {call}", "() => {call}", "It is ({call}) so.", "$ {call}", "=> {call}",
        "# So it is. {call}", "// So it is. {call}", "It is &quot;{call}&quot; there.",
        '<a title="{call}">x</a>', "«So it is.\n»{call}", ":: {call}", "_(So it is._\n{call}\n_)_",
    ):  # fmt: skip
        yield CallContext("signs", "English", f"{text}\n", shown=False)
    for text in (
        "{call}? No.", "{call} % so", "{call}!", "Step 1.\n{call}", "Listing 2.1. {call}",
        "Call ..... {call}", "{call} + 1", "**1.** {call}", "1.2. So it is. {call}",
        "[1] So it is. {call}", "1.) {call}", "{call} * 3", "{call} > so", "{call} ≈ 3",
        "{call} @so", "{call} $so", "{call} “so”", "{call}。", "{call}。这是", "{call} \\\\",
        "{call}; was found there.", "{call}</b> is the form.", "{call} ]} ist die Form.",
        "{call}; это так.", "{call}</i> 就是这样。",
    ):  # fmt: skip
        yield CallContext("signs", "English", f"{text}\n", shown=False, talk=True)


def _scripts() -> Iterator[CallContext]:
    """What looks like the end of a sentence and is none, in other scripts and among emoji."""
    for language, text in (
        ("Tibetan", "ཡིག་ {call}"), ("Tibetan", "ཚིག་འདི་\n{call}"), ("Tibetan", "༡། {call}"),
        ("Bengali", "১। {call}"), ("Hindi", "१। {call}"), ("Burmese", "၁။ {call}"),
        ("Japanese", "「例」{call}"), ("Japanese", "『例』\n{call}"), ("Chinese", "「安」{call}"),
        ("Armenian", "Նշում՝ {call}"), ("Greek", "Μια κλήση· {call}"), ("Khmer", "ឧទាហរណ៍៖ {call}"),
        ("English", "Like this ➜\n\n{call}\n\nThat is all."), ("German", "So ☞\n{call}\nist es."),
        ("Chinese", "这样👇\n\n{call}\n\n就是这样。"), ("English", "★ Ann ★\n{call}\n\nSo."),
    ):  # fmt: skip
        yield CallContext("scripts", language, f"{text}\n", shown=False, talk=True)
    for pair in ("❮❯", "⟪⟫", "‹›", "｛｝", "⦅⦆"):
        text = f"{pair[0]}Thinking{pair[1]}\nSo.\n\n{{call}}\n{pair[0]}/Thinking{pair[1]}\n"
        yield CallContext("scripts", "English", text, shown=False)
    yield CallContext("scripts", "English", "✂----✂\n{call}\n✂----✂\n", shown=False)


def _tables() -> Iterator[CallContext]:
    for language, words in _LANGUAGES.items():
        table = f"| {words.lead} | x |\n|---|---|\n| {{call}} | {words.trail} |\n"
        yield CallContext("table", language, table)
    for template in (
        "a | b\n--- | ---\n{call} | asks\n", "a | b\n:-- | --:\nasks | {call}\n",
        "| a |\n| - |\n| {call} |\n", "|a|b|\n|-|-|\n|{call}|x|\n", "|{call}|",
        "  | x | {call} |\n", "| a | b |\n|:---:|---|\n| 1 | 2 |\n| 3 | {call} |\n",
        "|| head ||\n| {call} |\n", "a|b\n-|-\nx|{call}\n", "| 1 | see {call} and so on |\n",
    ):  # fmt: skip
        yield CallContext("table", "English", template, shown=False)


def _definitions() -> Iterator[CallContext]:
    for template in (
        "[^1]: {call}\n", "See[^note].\n\n[^note]: {call}\n", "[id]: {call}\n", "Term\n: {call}\n",
        '[a]: http://a.b "t"\n[b]: {call}\n', "Term\n:   as in {call}\n",
        "[^2]: Write {call} there.\n",
        ".. [1] {call}\n", ".. note {call}\n", "[1]: {call}\n", "[^1]: See this.\n{call}\n",
        "*[HTML]: {call}\n",
        "[^n]: See this.\n    {call}\n", "[^n]: So.\n\n    {call}\n", "[x]: y\n{call}\n[z]: w\n",
    ):  # fmt: skip
        yield CallContext("definition", "English", template, shown=False)


# -- quotation marks ------------------------------------------------------------------------

_PAIRS = (
    "“”", "„“", "„”", "«»", "»«", "‹›", "›‹", "””",
    "‘’", "‚‘", "「」", "『』", "｢｣", "﹁﹂", "﹃﹄",
    "〝〞", "〝〟", "《》", "〈〉", "⟪⟫", "⟨⟩", "❝❞", "❛❜", "＂＂", "״״", '""', "⹂”", "🙶🙷", "＇＇",
    "（）", "［］", "【】", "〔〕", "〖〗", "⟦⟧", "⁅⁆", "❮❯", "⸂⸃", "⌜⌝",
    "⸢⸣", "❨❩", "❪❫", "❰❱", "༼༽", "᚛᚜", "〘〙", "〚〛", "⦅⦆", "｟｠", "｛｝", "⌈⌉", "⟮⟯", "﴿﴾",
)  # fmt: skip
_INVISIBLE = (
    "\u200b\u200c\u200d\u2060\ufeff\u00a0\u202f\u00ad"
    "\u200e\u200f\u202a\u2066\u061c\u2009\ufe0f\u180e"
)


def _quotations() -> Iterator[CallContext]:
    for language, words in _LANGUAGES.items():
        s = words.space
        for pair in words.quotes:
            left, right, gap = pair[0], pair[-1], pair[1:-1]
            text = f"{words.lead}{s}{left}{gap}{{call}}{gap}{right}{s}{words.trail}"
            yield CallContext("quotation", language, text)
        left, right = words.quotes[0][0], words.quotes[0][-1]
        alone = f"{left}{{call}}{right}{s}{words.first}"
        yield CallContext("quotation", language, alone)
        over = f"{words.before} {left}{words.lead}\n{{call}}\n{words.trail}{right}\n"
        yield CallContext("quotation over lines", language, over, shown=False)
        lines = f"{left}\n{{call}}\n{right}{s}{words.first}"
        yield CallContext("quotation over lines", language, lines, shown=False)
        each = f"{left}{words.behind}\n\n{left}{words.behind}\n\n{{call}}\n\n{left}So.{right}\n"
        yield CallContext("quotation of paragraphs", language, each, shown=False)
    for mark in '"”':
        each = f"{mark}So.\n\n{mark}Or so.\n\n{{call}}\n\n{mark}It is.{mark}\n"
        yield CallContext("quotation of paragraphs", "Swedish", each, shown=False)
        within = f"Ann: {mark}I said {mark}go{mark} then.\n\n{{call}}\n\nSo.{mark}\n"
        yield CallContext("quotation over lines", "English", within, shown=False)
    for begun in ("It’s so.", "Don’t, she’d say."):
        text = f"They wrote ‘{begun}\n\n{{call}}\n\nSo.’\n"
        yield CallContext("quotation over lines", "English", text, shown=False)
    for pair in _PAIRS:
        left, right = pair[0], pair[1]
        for gap in ("", " "):
            text = f"They wrote {left}{gap}{{call}}{gap}{right} there."
            yield CallContext("quotation", "English", text)
        over = f"They wrote {left}so\n\n{{call}}\n{right} there."
        yield CallContext("quotation over lines", "English", over, shown=False)


def _invisible() -> Iterator[CallContext]:
    """Quotation marks and code with characters around them that nobody sees."""
    pairs = cycle(("“”", "«»", '""', "„“", "「」", "‘’"))
    for char in _INVISIBLE:
        for before, inside in ((char, ""), ("", char), (char, char)):
            left, right = tuple(next(pairs))
            text = f"The text {before}{left}{inside}{{call}}{inside}{right}{before} is a call."
            yield CallContext("invisible", f"U+{ord(char):04X}", text)
        for lead, shown in ((f"{char}> ", True), (f"> {char}", True), (f"`{char}", True)):
            closing = f"{char}`" if "`" in lead else ""
            text = f"So:\n\n{lead}{{call}}{closing}\n"
            yield CallContext("invisible", f"U+{ord(char):04X}", text, shown, prefix="> ")
        middle = f"Just write {char}{{call}}{char} to get it."
        yield CallContext("invisible", f"U+{ord(char):04X}", middle, shown=False, talk=True)
        first = f"{{call}}{char} is what you would write."
        yield CallContext("invisible", f"U+{ord(char):04X}", first, shown=False, talk=True)
    # A gap that is wider than anybody looks hides no words either.
    for gap in (" " * 300, "\t" * 300, "\u200b" * 300, " \u2060" * 150):
        for text in (f"Just write{gap}{{call}}", f"{{call}}{gap}is what you would write."):
            yield CallContext("invisible", "English", text, shown=False, talk=True)


# -- thinking -------------------------------------------------------------------------------

_BEHIND = (
    "",
    "OK ",
    "OK, ",
    "Well - ",
    "(",
    "7 ",
    "`x` ",
    "“Hm” ",
    "🙂 ",
    "OK",
    "– ",
    "So: ",
    "好的",
    "- ",
)


def _thoughts() -> Iterator[CallContext]:
    leads = cycle(_BEHIND)
    for opener, closer in Reasoning().tags:
        # A tag that begins with a space counts at the beginning of the reply only.
        lead = "" if opener.startswith(" ") else next(leads)
        yield from _thought(f"{lead}{opener}", closer)
    for lead in _BEHIND:
        yield from _thought(f"{lead}<think>", "</think>")
    # What is only named closes nothing.
    for left, right in ("''", '""', "“”", "‘’", "«»", "「」", "()", "``", ("**", "**")):
        named = f"<think>They wrote {left}</think>{right} there.\n{{call}}\n</think>\nI will not."
        yield CallContext("thinking", "English", named)
    # What closes another thought may not have closed this one.
    for closer in ("</thinking>", "[/THINK]", "◁/think▷", "<|end_of_thought|>", "</seed:think>"):
        text = f"<think>maybe{closer}\n{{call}}\nno, better not.</think>\nI will not."
        yield CallContext("open thinking", "English", text, shown=False)
    for language, words in _LANGUAGES.items():
        text = f"{words.before} <think>{words.lead}\n{{call}}\n</think>{words.behind}"
        yield CallContext("thinking", language, text)


def _thought(begun: str, closer: str) -> Iterator[CallContext]:
    over = f"{begun}maybe\n{{call}}\nno, better not.{closer}\nI will not."
    yield CallContext("thinking", "English", over)
    line = f"{begun}maybe {{call}} or not{closer} I will not."
    yield CallContext("thinking", "English", line)
    # By some models' templates a call ends a thought that is not closed: it counts, doubted.
    yield CallContext("open thinking", "English", f"{begun}maybe\n\n{{call}}\n", shown=False)


# -- sentences ------------------------------------------------------------------------------


def _sentences() -> Iterator[CallContext]:
    for language, words in _LANGUAGES.items():
        s = words.space
        for text in (
            f"{words.lead}{s}{{call}}{s}{words.trail}",
            f"{words.lead}{s}{{call}}",
            f"{{call}}{s}{words.first}",
            f"{words.before} {{call}}{s}{words.first}",
            f"{words.before} {{call}}",
            f"{words.lead}\n{{call}}\n{words.trail}",
            f"{words.lead}…\n{{call}}\n…{words.trail}",
        ):
            yield CallContext("sentence", language, text, shown=False, talk=True)
    for text in (
        "There is a call ({call}) for that.",
        "Write a call, e.g. {call} for that.",
        "You would write ... {call} ... to get it.",
        "{call} … and so on.",
        "If I wrote this,\r\n{call}\r\nit would run.",
    ):
        yield CallContext("sentence", "English", text, shown=False, talk=True)


def _lists() -> Iterator[CallContext]:
    for language, words in _LANGUAGES.items():
        text = f"{words.before}\n- {{call}}\n- {words.behind}\n"
        yield CallContext("list", language, text, shown=False, talk=True)
    for bullet in (
        "* ",
        "+ ",
        "1. ",
        "2) ",
        "a. ",
        "• ",
        "– ",
        "(1) ",
        "- [ ] ",
        "① ",
        "  - ",
        "1. a) ",
    ):
        text = f"There are ways:\n{bullet}{{call}}\n{bullet}something else\n"
        yield CallContext("list", "English", text, shown=False, talk=True)
    for text in (
        "1. Ways:\n   {call}\n2. Or so\n",
        "- do\n\n  {call}\n\n- do not\n",
        "- a\n- b\n  {call}\n",
        "* one\n{call}\n* two\n",
        "-\t- {call}\n",
    ):
        yield CallContext("list", "English", text, shown=False, talk=True)


def _combined() -> Iterator[CallContext]:
    """Two or three of these within each other."""
    for text in (
        "> | a |\n> |---|\n> | {call} |\n", "> <pre>\n> {call}\n> </pre>\n", "> Ann: {call}\n",
        "<pre>\n```\n{call}\n```\n</pre>\nSo.", "<td>`{call}`</td>\n", "- “{call}”\n",
        "| “{call}” |\n", "1. - > {call}\n",
        "<blockquote>\n\n> {call}\n\n</blockquote>\n", "- [ ] “{call}”\n", "*「{call}」*\n",
        "“He said ‘{call}’.”\n", "<think>a</think>`{call}`\n", "“<think>{call}</think>” so.\n",
    ):  # fmt: skip
        yield CallContext("combined", "English", text, prefix="> ")
    for text in (
        "“a\n\n- {call}\n\nb”\n", "> “a\n{call}\nb”\n", "<div>\n\n    {call}\n\n</div>\n",
        "# Usage\n\n    {call}\n", "Usage:\r\n\r\n\t{call}\r\n", "\u200b    {call}\n",
        "<p>\n“So\n{call}”\n</p>\n", "“```\n{call}\n```”\n",
        "[^1]: ```\n{call}\n```\n",
    ):  # fmt: skip
        yield CallContext("combined", "English", text, shown=False)


# What shows all that stands between these two, however much like a reply that is.
_AROUND = (
    ("<think>\n", "\n</think>"), ("[THINK]", "[/THINK]"), ("<thinking>\n", "\n</think>"),
    ("<think>a <think>b</think>\n", "</think>"), ("[unused16]", "[unused17]"),
    ("<pre>\n", "\n</pre>"), ("<pre><code>", "</code></pre>"),
    ("<blockquote>\n", "\n</blockquote>"),
    ("<pre class='a'\n     id='b'>\n", "\n</pre>"), ("<textarea>", "</textarea>"),
    ("<details>\n<summary>So</summary>\n\n", "\n\n</details>"), ("<!--\n", "\n-->"),
    ("<div>\n", "\n</div>"), ("<foo bar='x'>\n", "\n</foo>"), ("<td>", "</td>"),
    ("<user>\nhi\n</user>\n<assistant>\n", "\n</assistant>"), ("<script>\n", "\n</script>"),
    ("<![CDATA[\n", "\n]]>"), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ('"', '"'),
    ('"""\n', '\n"""'), ("'''\n", "\n'''"), ("(", "\n)"), ("【", "】"), ("$$\n", "\n$$"),
    ("----\n", "\n----"), ("----\n---\n\n", "\n----"), ("____\n", "\n____"),
    ("++++\n", "\n++++"), ("####\n", "\n####"), (":::\n", "\n:::"), (":::note\n", "\n:::"),
    ("-----BEGIN X-----\n", "\n-----END X-----"), ("\\begin{foo}\n", "\n\\end{foo}"),
    ("#+BEGIN_SRC x\n", "\n#+END_SRC"), ("#+begin_foo\n", "\n#+end_foo"),
    ("[code]\n", "\n[/code]"), ("[foo]\n", "\n[/foo]"), ("{code}\n", "\n{code}"),
    ("@verbatim\n", "\n@end verbatim"), ("=begin\n", "\n=end"), ("/*\n", "\n*/"),
    ("{{{\n", "\n}}}"), ("<<<\n", "\n>>>"), ("cat <<EOF\n", "\nEOF"), ("x = {\n", "\n}"),
    ("{% raw %}\n", "\n{% endraw %}"), ("HTTP/1.1 200 OK\nA: b\n\n", ""),
    # Quotations that go on with the mark that begins them, or hold others.
    ("“So it is.\n\n“", "”"), ("„So it is.\n\n„", "“"), ("»So it is.\n»", "«"),
    ("“So “it” is.\n", "”"), ("He wrote ´So it is.\n", "´"), ("He wrote ″So it is.\n", "″"),
    ("He wrote ‶So it is.\n", "″"), ("He wrote ⸨So it is.\n", "⸩"), ("He wrote 〞So.\n", "〟"),
    ("He wrote ﹝So it is.\n", "﹞"), ("He wrote ⦗So it is.\n", "⦘"), ("He wrote ︽So.\n", "︾"),
    # What a line leaves open in its middle.
    ("He wrote 'So it is.\n", "'"), ("Hon skrev ’Så är det.\n", "’"), ("Он писал 'Так.\n", "'"),
    ("He wrote ''So it is.\n", "''"), ("He wrote ``So it is.\n", "''"),
    ("He wrote: 'So it is.\n", "'"), ("He wrote: ’So it is.\n", "’"), ("“So.” ‘Yes. ", "’"),
    ("So. 'I don't know.\n", "'"), ("'I don't know.\n", "'"), ("**'So it is.**\n", "'"),
    ("He said, 'Go. ", "'"), ("He wrote: ``So it is.\n", "''"), ("He wrote: <<So.\n", ">>"),
    (",,So it is.\n", "''"), ("So (it is so.\n", ")"), ("So^[it is so.\n", "]"),
    ("So [it is so.\n", "]"), ("f(\n", "\n)"), ('x = R"(\n', '\n)"'),
    ("So <!-- it is.\n", "-->"), ("cat <<'X' > a\n", "\nX"),
    ("int x; /* So it is.\n", "*/"), ("x = '''So it is.\n", "'''"), ("x = [[So it is.\n", "]]"),
    ("r'''So it is.\n", "'''"), ("x = q{So it is.\n", "}"), ("So. \\begin{foo}\n", "\\end{foo}"),
    ("So. {{!-- So it is.\n", "--}}"), ("So.\nSo. /** So it is.\nSo.\nSo.\nSo.\n", "*/"),
    ("[So: <pre>\nx\n</pre>\n", "]"), ("{# <p>\nx\n</p>\n", "\n#}"), ("'<div>\nx\n</div>\n", "'"),
    ("'“So.” Yes.\n", "'"),
    # Tags of thinking that no model of ours has, and other tags.
    ("<|im_think|>", "<|im_think_end|>"), ("<｜thought▁begin｜>\n", "<｜thought▁end｜>"),
    ("So. <|startofthink|>", "<|endofthink|>"), ("<|deep_reasoning|>\n", "<|/deep_reasoning|>"),
    ("<\u200bthink>\n", "\n</think>"), ("«think»", "«/think»"), ("{{think}}", "{{/think}}"),
    ("⟨think⟩\n", "\n⟨/think⟩"), ("[BEGIN_THINKING]", "[END_THINKING]"), ("[Plan]", "[/Plan]"),
    ('<message role="user">\n', "\n</message>"), ("So.\n<s>\n", "\n</s>"),
    # Strings of programs, and a fence around others.
    ("x = '\n", "\n'"), ("$x = @'\n", "\n'@"),
    ("```md\n# A\n\n```sh\nx\n```\n\n```sh\ny\n```\n", "\n```"),
)  # fmt: skip
# What is closed before a call in something else begins.
_CLOSED = (
    "```\nx\n```", "~~~\nx\n~~~", "`x`", "“x”", "<pre>\nx\n</pre>", "<!-- x -->", "<q>x</q>",
    "<think>x</think>", "[THINK]x[/THINK]", "> x\n", "(x)", "*x*", "| x |\n|---|\n", "「x」",
)  # fmt: skip


def _within() -> Iterator[CallContext]:
    """What would be a call by itself, below a sentence or another block, within something else."""
    spoken, closed = cycle(_LANGUAGES.items()), cycle(_CLOSED)
    for before, behind in _AROUND:
        closed_within = f"{before.rstrip()}\n{next(closed)}\n"
        for begun in (before, f"```\nx\n```\n\n{before}", closed_within):
            language, words = next(spoken)
            text = f"{begun}{words.behind}\n\n{{call}}\n\n{words.behind}{behind}\n"
            yield CallContext("within", language, text, shown=False)
    for text in (
        "★★★\n{call}\n★★★\nSo it is.\n", "So it is.\n      {call}\n",
        "EXAMPLES\n       {call}\n\nSEE ALSO\n       a\n", "NOTES\n\t{call}\n",
        '  File "x", line 3\n    {call}\n    ^\n', "@@ -1,3 +1,3 @@\n So it is.\n {call}\n-b\n",
        'f("""{call}""")\n', "<user>a</user>\n<assistant>{call}</assistant>\n",
        ".EX\n{call}\n.EE\n", "\\iffalse\n{call}\n\\fi\n", "* a\n:LOGBOOK:\n{call}\n:END:\n",
        '{"example": {call}, "a": 1}\n', "So \\lstinline!{call}! is it.\n", "[so {call}](http://a.b)\n",
        "<div title='So it is.\n\n{call}\n'>a</div>\n", "<p data-x=a\n{call}\n>a</p>\n",
        "[Thinking]So it is. {call} So.[/Thinking]\n",
        "<think>a <think>b</think>\n{call}\nno</think>\n",
        # Below what was typed at a prompt, or a line of a log.
        "$ cat a\nSo it is.\n{call}\n$ ls\n", "ann@box:~$ cat a\nSo it is.\n{call}\n",
        "In [3]: f()\nSo it is.\n{call}\n", "==> a <==\nSo it is.\n{call}\n",
        "2026-01-01 12:00:00 INFO So\nSo it is.\n{call}\n",
    ):  # fmt: skip
        yield CallContext("within", "English", text, shown=False)
    for text in ("So it is (or so. {call} And so on)\n", "(So it is. {call} And so on.)\n"):
        yield CallContext("within", "English", text, shown=False, talk=True)


def _far_behind() -> Iterator[CallContext]:
    """What was opened long ago is open still: thoughts are long."""
    spoken = cycle(_LANGUAGES.items())
    for before, behind in (
        ("[Thinking]", "[/Thinking]"), ("【思考】", "【/思考】"), ("<planning>", "</planning>"),
        ("<|deep_thoughts|>", "<|/deep_thoughts|>"), ('"""', '"""'), ("/*", "*/"),
        ("{% raw %}", "{% endraw %}"), ("----x----", "----"), ("(So", ")"), ("“So", "”"),
        ("「So", "」"), ("«So", "»"), ('"So', '"'),
    ):  # fmt: skip
        language, words = next(spoken)
        many = f"{words.behind}\n" * (4_500 // len(words.behind))
        text = f"{before}\n{many}\n{{call}}\n\n{words.behind}\n{behind}\n"
        yield CallContext("far behind", language, text, shown=False)


def _all() -> Iterator[CallContext]:
    for make in (
        _fences, _nested_fences, _code, _block_quotes, _mail_and_logs, _elements, _other_markup,
        _blocks, _amid_talk, _messages, _labels, _signs, _scripts, _tables, _definitions,
        _quotations, _invisible, _thoughts, _sentences, _lists, _combined, _within,
        _far_behind,
    ):  # fmt: skip
        yield from make()


#: Every context, each once.
CONTEXTS: tuple[CallContext, ...] = tuple(dict.fromkeys(_all()))
