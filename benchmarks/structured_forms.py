"""Forty forms of structured answers, each with an answer and the sentence that it is in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, create_model

__all__ = ["tasks"]

#: Fields that hold one of a few words.
CHOICES: dict[str, Any] = {
    "day": Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "sky": Literal["sunny", "cloudy", "rainy"],
    "size": Literal["small", "medium", "large"],
    "mood": Literal["happy", "sad", "angry"],
    "level": Literal["low", "middle", "high"],
}

#: The name of a form, what its fields are to hold, and the sentence that says so.
FORMS: list[tuple[str, dict[str, Any], str]] = [
    ("Person", {"name": "Ann", "age": 30}, "Ann is 30 years old."),
    ("Trip", {"start": "Oslo", "goal": "Rome"}, "We travel from Oslo to Rome."),
    ("Order", {"item": "pens", "count": 3}, "I would like to order 3 pens."),
    ("Meeting", {"title": "Budget", "day": "Monday"}, "The meeting Budget is on Monday."),
    ("Weather", {"city": "Lima", "degrees": 18}, "In Lima it is 18 degrees."),
    ("Sky", {"city": "Rome", "sky": "sunny"}, "The sky over Rome is sunny."),
    ("Book", {"title": "Emma", "year": 1815}, "The book Emma came out in 1815."),
    ("Price", {"item": "lamp", "dollars": 35.5}, "A lamp costs 35.5 dollars."),
    ("Shirt", {"colour": "red", "size": "large"}, "He wants a large red shirt."),
    ("Login", {"user": "bob", "active": True}, "The user bob is active."),
    ("Pets", {"owner": "Eva", "pets": ["cat", "dog"]}, "Eva has a cat and a dog."),
    ("Team", {"name": "Reds", "points": 12}, "The team Reds has 12 points."),
    ("Flight", {"number": "SK45", "gate": 7}, "Flight SK45 leaves from gate 7."),
    ("River", {"name": "Nile", "kilometres": 6650}, "The Nile is 6650 kilometres long."),
    ("Email", {"sender": "Tom", "subject": "Lunch"}, "Tom sent an email about Lunch."),
    ("Room", {"number": 12, "free": False}, "Room 12 is not free."),
    ("Recipe", {"dish": "soup", "minutes": 20}, "The soup takes 20 minutes."),
    ("Feeling", {"who": "Mia", "mood": "happy"}, "Mia is happy today."),
    ("Risk", {"what": "fire", "level": "high"}, "The risk of fire is high."),
    ("Bus", {"line": 5, "goal": "harbour"}, "Bus 5 goes to the harbour."),
    ("Address", {"street": "Elm", "house": 9}, "I live in Elm street, house 9."),
    ("Home", {"name": "Li", "place": {"city": "Bonn"}}, "Li lives in the city of Bonn."),
    ("Colours", {"flag": "France", "colours": ["blue", "white", "red"]},
     "The flag of France is blue, white and red."),
    ("Score", {"home": 2, "guest": 1}, "The home team won 2 to 1 against the guest team."),
    ("Car", {"maker": "Volvo", "doors": 4}, "The Volvo has 4 doors."),
    ("Alarm", {"hour": 7, "minute": 30}, "Wake me at hour 7, minute 30."),
    ("Loan", {"amount": 500, "rate": 2.5}, "A loan of 500 at a rate of 2.5 percent."),
    ("Song", {"title": "Hey Jude", "artist": "Beatles"}, "Hey Jude is a song by the Beatles."),
    ("Task", {"task": "paint the door", "done": True}, "The task paint the door is done."),
    ("Animal", {"name": "Rex", "legs": 4}, "The dog Rex has 4 legs."),
    ("Shop", {"shop": "Mill", "day": "Sunday"}, "The shop Mill is closed on Sunday."),
    ("Ticket", {"seat": "B7", "price": 12.5}, "Seat B7 costs 12.5 euros."),
    ("Mountain", {"name": "Etna", "metres": 3357}, "Mount Etna is 3357 metres high."),
    ("Note", {"author": "Zoë", "text": "café"}, "The author Zoë wrote the text café."),
    ("Numbers", {"numbers": [3, 5, 8]}, "The numbers are 3, 5 and 8."),
    ("Phone", {"owner": "Max", "number": "555-0199"}, "The phone of Max has the number 555-0199."),
    ("Parcel", {"weight": 2.5, "size": "small"}, "The small parcel weighs 2.5 kilos."),
    ("Course", {"subject": "maths", "teacher": {"name": "Kim"}}, "Kim teaches the subject maths."),
    ("Lamp", {"room": "kitchen", "on": True}, "The lamp in the kitchen is on."),
    ("Party", {"host": "Ida", "guests": ["Per", "Kai"]}, "Ida is the host of Per and Kai."),
]  # fmt: skip


def tasks() -> Iterator[tuple[BaseModel, str]]:
    """An answer, an object of its form, and the sentence."""
    for name, values, said in FORMS:
        yield _form(name, values)(**values), said


def _form(name: str, values: dict[str, Any]) -> type[BaseModel]:
    fields: dict[str, Any] = {key: (_type(key, value), ...) for key, value in values.items()}
    return create_model(name, **fields)


def _type(key: str, value: Any) -> Any:
    if key in CHOICES:
        return CHOICES[key]
    if isinstance(value, dict):
        return _form(key.capitalize(), value)
    return list[type(value[0])] if isinstance(value, list) else type(value)  # type: ignore[misc]
