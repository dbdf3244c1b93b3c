"""What every store owes, as tests: subclass, give a ``store``, and run pytest.

::

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def store(self, tmp_path):
            store = MyStore(tmp_path / "sessions")
            yield store
            store.close()

        @pytest.fixture
        def another(self, store, tmp_path):  # leave it out if nothing outlasts the store
            another = MyStore(tmp_path / "sessions")
            yield another
            another.close()
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from toolproto.conversation.stores import Record, SessionInfo, Store
from toolproto.protocol.errors import SessionConflict, UsageError

from .cases import IDS, SEARCHED, SEARCHES, TEXTS, VALUES, at_once, contents, said

__all__ = ["StoreConformance"]


class StoreConformance:
    """The tests. ``store`` must be empty; ``another`` is in the same place as ``store``."""

    @pytest.fixture
    def store(self) -> Store:
        raise NotImplementedError("give a fixture named 'store'")

    @pytest.fixture
    def another(self, store: Store) -> Store:
        pytest.skip("nothing outlasts this store")

    # -- sessions -------------------------------------------------------------------------

    def test_a_new_session_has_no_records(self, store: Store) -> None:
        made = store.create("one", "First")
        assert (made.id, made.title, made.records) == ("one", "First", 0)
        assert made.created == made.updated > 0
        assert store.info("one") == made
        assert store.read("one") == []

    def test_a_session_that_is_not_there_has_no_info(self, store: Store) -> None:
        assert store.info("nobody") is None

    def test_an_id_is_taken_once(self, store: Store) -> None:
        store.create("one", "First")
        with pytest.raises(UsageError, match="'one'"):
            store.create("one", "Second")
        assert [info.title for info in store.list()] == ["First"]

    @pytest.mark.parametrize("work", ["read", "append", "append nothing", "rename", "delete"])
    def test_a_session_that_is_not_there_is_the_programs_mistake(
        self, store: Store, work: str
    ) -> None:
        jobs: dict[str, Callable[[], object]] = {
            "read": lambda: store.read("nobody"),
            "append": lambda: store.append("nobody", [said("x")], 0, durable=False),
            "append nothing": lambda: store.append("nobody", [], 0, durable=False),
            "rename": lambda: store.rename("nobody", "x"),
            "delete": lambda: store.delete("nobody"),
        }
        with pytest.raises(UsageError, match="'nobody'"):
            jobs[work]()

    def test_ids_are_apart_however_they_look(self, store: Store) -> None:
        for id in IDS:
            store.create(id)
            store.append(id, [said(id)], 0, durable=False)
        assert [contents(store, id) for id in IDS] == [[id] for id in IDS]

    @pytest.mark.parametrize("id", ["", "i" * 201, "a\0b", "\ud800"], ids=repr)
    def test_an_id_that_cannot_be_kept_is_refused(self, store: Store, id: str) -> None:
        for work in (store.create, store.info, store.read, store.delete):
            with pytest.raises(UsageError, match="id"):
                work(id)

    def test_a_rename_changes_the_title_only(self, store: Store) -> None:
        made = store.create("one", "First")
        store.append("one", [said("x")], 0, durable=False)
        store.rename("one", "Über %_'\"")
        found = store.info("one")
        assert found is not None
        assert (found.title, found.created, found.records) == ("Über %_'\"", made.created, 1)

    def test_a_title_nobody_can_keep_is_kept_as_far_as_it_goes(self, store: Store) -> None:
        assert store.create("one", "a\0b \ud800!").title == "a\ufffdb \ufffd!"
        store.rename("one", "\udfff")
        found = store.info("one")
        assert found is not None and found.title == "\ufffd"

    def test_sessions_belong_to_workspaces(self, store: Store) -> None:
        store.create("one", "First", "home")
        store.create("two")
        store.append("two", [said("x")], 0, durable=False)
        before = store.info("two")
        store.assign("two", "wörk %_'")
        found = store.info("two")
        assert before is not None and found is not None
        assert (found.workspace, found.updated) == ("wörk %_'", before.updated)
        assert [each.id for each in store.list(workspace="wörk %_'")] == ["two"]
        assert [each.id for each in store.list("first", workspace="home")] == ["one"]
        assert store.list("first", workspace="") == [] and len(store.list()) == 2
        with pytest.raises(UsageError):
            store.assign("nobody", "x")

    def test_a_deleted_session_is_gone_and_its_id_is_free(self, store: Store) -> None:
        store.create("one", "First")
        store.create("two")
        store.append("one", [said("first life")], 0, durable=True)
        store.append("two", [said("stays")], 0, durable=True)
        store.delete("one")
        assert store.info("one") is None
        assert store.list("first") == []
        store.create("one")
        assert store.read("one") == []
        assert contents(store, "two") == ["stays"]

    # -- records --------------------------------------------------------------------------

    def test_records_come_back_in_order(self, store: Store) -> None:
        store.create("one")
        for at in range(0, 300, 3):
            store.append("one", [said(str(at + n)) for n in range(3)], at, durable=at % 2 == 0)
        assert contents(store, "one") == [str(n) for n in range(300)]
        found = store.info("one")
        assert found is not None and found.records == 300

    @pytest.mark.parametrize("after, texts", [(0, "abc"), (1, "bc"), (3, ""), (4, ""), (2**40, "")])
    def test_a_reader_may_skip_what_it_knows(self, store: Store, after: int, texts: str) -> None:
        store.create("one")
        store.append("one", [said(text) for text in "abc"], 0, durable=False)
        assert [record.data["content"] for record in store.read("one", after)] == list(texts)

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    def test_a_text_comes_back_as_it_was(self, store: Store, text: str) -> None:
        store.create("one")
        store.append("one", [said(text)], 0, durable=False)
        assert contents(store, "one") == [text]

    @pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
    def test_a_value_comes_back_as_it_was(self, store: Store, value: dict[str, Any]) -> None:
        store.create("one")
        store.append("one", [Record("value", value)], 0, durable=False)
        assert store.read("one") == [Record("value", value)]

    def test_any_mapping_may_be_written(self, store: Store) -> None:
        store.create("one")
        value = MappingProxyType({"inner": MappingProxyType({"a": (1, 2)})})
        store.append("one", [Record("value", value)], 0, durable=False)
        assert store.read("one") == [Record("value", {"inner": {"a": [1, 2]}})]

    def test_a_large_record_comes_back_whole(self, store: Store) -> None:
        store.create("one")
        text = "0123456789äöü\n" * 80_000
        store.append("one", [said(text), said("next")], 0, durable=True)
        assert contents(store, "one") == [text, "next"]

    def test_changing_what_was_written_or_read_changes_no_record(self, store: Store) -> None:
        store.create("one")
        value: dict[str, Any] = {"list": [1]}
        store.append("one", [Record("value", value)], 0, durable=False)
        value["list"].append(2)
        store.read("one")[0].data["list"].append(3)
        assert store.read("one") == [Record("value", {"list": [1]})]

    @pytest.mark.parametrize("work", ["append", "read", "limit", "offset"])
    @pytest.mark.parametrize("number", [-1, 2**64], ids=["negative", "huge"])
    def test_a_number_that_counts_nothing_is_refused(
        self, store: Store, work: str, number: int
    ) -> None:
        store.create("one")
        jobs: dict[str, Callable[[], object]] = {
            "append": lambda: store.append("one", [said("x")], number, durable=False),
            "read": lambda: store.read("one", number),
            "limit": lambda: store.list(limit=number),
            "offset": lambda: store.list(offset=number),
        }
        with pytest.raises(UsageError):
            jobs[work]()

    # -- all or nothing, and one writer -----------------------------------------------------

    def test_a_record_json_cannot_hold_takes_the_others_with_it(self, store: Store) -> None:
        store.create("one")
        deep: list[Any] = []
        for _ in range(150):
            deep = [deep]
        circular: dict[str, Any] = {}
        circular["me"] = circular
        for value in ({"x": object()}, {"x": {1, 2}}, {"x": b"raw"}, {"x": deep}, circular):
            with pytest.raises(UsageError):
                store.append("one", [said("a"), Record("value", value)], 0, durable=False)
        assert store.read("one") == []
        store.append("one", [said("b")], 0, durable=False)

    @pytest.mark.parametrize("at", [0, 1, 3, 2**40])
    def test_whoever_does_not_know_the_last_record_is_told(self, store: Store, at: int) -> None:
        store.create("one")
        store.append("one", [said("a"), said("b")], 0, durable=False)
        before = store.info("one")
        for records in ([said("c")], []):
            with pytest.raises(SessionConflict, match="'one'"):
                store.append("one", records, at, durable=True)
        assert contents(store, "one") == ["a", "b"]
        assert store.info("one") == before

    def test_nothing_may_be_appended(self, store: Store) -> None:
        made = store.create("one")
        store.append("one", [], 0, durable=True)
        assert store.info("one") == made

    def test_of_several_writers_one_wins_and_nothing_interleaves(self, store: Store) -> None:
        store.create("one")
        winners = []
        for at in range(0, 60, 3):
            outcomes = at_once(
                *(
                    lambda w=writer, at=at: store.append(
                        "one", [said(f"{at} {w}")] * 3, at, durable=False
                    )
                    for writer in range(4)
                )
            )
            assert [type(each) for each in outcomes if each is not None] == [SessionConflict] * 3
            winners += [f"{at} {outcomes.index(None)}"] * 3
        assert contents(store, "one") == winners

    def test_of_several_who_create_a_session_one_does(self, store: Store) -> None:
        for n in range(10):
            outcomes = at_once(*[lambda n=n: store.create(f"s{n}")] * 4)
            assert sum(isinstance(each, SessionInfo) for each in outcomes) == 1
            assert sum(isinstance(each, UsageError) for each in outcomes) == 3

    def test_sessions_grow_side_by_side(self, store: Store) -> None:
        def write(id: str) -> None:
            for at in range(40):
                store.append(id, [said(f"{id} {at}")], at, durable=False)

        ids = ["a", "b", "c", "d"]
        for id in ids:
            store.create(id)
        assert at_once(*(lambda id=id: write(id) for id in ids)) == [None] * 4
        for id in ids:
            assert contents(store, id) == [f"{id} {at}" for at in range(40)]

    def test_a_reader_sees_whole_appends_only(self, store: Store) -> None:
        store.create("one")

        def write() -> None:
            for at in range(0, 150, 3):
                store.append("one", [said(str(at))] * 3, at, durable=False)

        def read() -> list[int]:
            return [len(store.read("one")) for _ in range(30)]

        written, *seen = at_once(write, read, read)
        assert written is None
        for lengths in seen:
            assert isinstance(lengths, list)
            assert lengths == sorted(lengths)
            assert {length % 3 for length in lengths} == {0}

    # -- lists ----------------------------------------------------------------------------

    def test_the_last_used_session_is_listed_first(self, store: Store) -> None:
        for id in "abc":
            store.create(id)
        store.append("b", [said("x")], 0, durable=False)
        assert [info.id for info in store.list()] == ["b", "c", "a"]
        assert store.list()[0] == store.info("b")

    def test_a_list_comes_in_pages(self, store: Store) -> None:
        for n in range(25):
            store.create(f"s{n}", "match" if n % 2 else "other")
        pages = [store.list(limit=10, offset=offset) for offset in (0, 10, 20, 30)]
        assert [len(page) for page in pages] == [10, 10, 5, 0]
        assert [info.id for page in pages for info in page] == [f"s{n}" for n in range(24, -1, -1)]
        assert [i.id for i in store.list("match", limit=2, offset=1)] == ["s21", "s19"]
        assert store.list(limit=0) == []

    @pytest.mark.parametrize("search", [*SEARCHES, "TITLE", "in a list"], ids=repr)
    def test_a_search_finds_titles_and_texts(self, store: Store, search: str) -> None:
        store.create("other", "Other")
        store.append("other", [said("100 per cent, a-b, c/d, nothing")], 0, durable=False)
        store.create("one", "The Title")
        record = Record("x", {"deep": {"list": ["nothing", "In a List"]}})
        store.append("one", [said("first"), said(SEARCHED), record], 0, durable=False)
        assert [info.id for info in store.list(search)] == ["one"]

    @pytest.mark.parametrize(
        "search", ["content", "role", "message", "\\u", "%", "_", "x" * 70_000], ids="{:.9}".format
    )
    def test_a_search_finds_no_names_of_fields_and_knows_no_wildcards(
        self, store: Store, search: str
    ) -> None:
        store.create("one", "Title")
        store.append("one", [said("some \ud800 text")], 0, durable=False)
        assert store.list(search) == []

    def test_a_search_follows_renaming(self, store: Store) -> None:
        store.create("one", "before")
        store.rename("one", "after")
        assert store.list("before") == []
        assert [info.id for info in store.list("AFTER")] == ["one"]

    # -- the end --------------------------------------------------------------------------

    def test_a_closed_store_says_so(self, store: Store) -> None:
        store.create("one")
        store.close()
        store.close()
        for work in (store.list, lambda: store.read("one"), lambda: store.create("two")):
            with pytest.raises(UsageError, match="closed"):
                work()

    def test_what_was_written_outlasts_the_store(self, store: Store, another: Store) -> None:
        store.create("one", "First")
        store.append("one", [said("durable")], 0, durable=True)
        store.append("one", [said("not so")], 1, durable=False)
        info = store.info("one")
        store.close()
        assert another.info("one") == info
        assert contents(another, "one") == ["durable", "not so"]

    def test_two_stores_in_one_place_see_and_stop_one_another(
        self, store: Store, another: Store
    ) -> None:
        store.create("one")
        another.append("one", [said("theirs")], 0, durable=False)
        with pytest.raises(SessionConflict):
            store.append("one", [said("ours")], 0, durable=False)
        assert contents(store, "one") == ["theirs"]
        another.delete("one")
        with pytest.raises(UsageError, match="'one'"):
            store.append("one", [said("too late")], 1, durable=False)
