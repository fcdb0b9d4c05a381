"""Departures on the network: handlers, what listeners are told, and the panel of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zimcore.documents import endpoints
from zimcore.documents.endpoint import Nothing
from zimcore.documents.seats import SeatsAnswer
from zimcore.features.departures import actions
from zimcore.features.departures.documents import Departure, DeparturesAnswer, NewDeparture
from zimcore.features.departures.events import Departures, departure_text
from zimcore.server.endpoints.routing import Call, handles, serve
from zimcore.server.news.feeds import FeedSource
from zimcore.server.pages.form_handlers import FormAction
from zimcore.server.pages.panels import Panel, Shown
from zimcore.server.people.member_documents import seats_answer
from zimcore.service import Viewer
from zimcore.service.actions import ActionCall

departures = serve(actions.departures)
depart = serve(actions.depart)
give_back = serve(actions.give_back)


@handles(endpoints.LEAVE)
def leave(call: Call, _: Nothing) -> SeatsAnswer:
    """Leaves your seat; a host can free any seat. The token of its player is then no longer valid."""
    body = NewDeparture("left", str(call.path_values["seat"]))
    call.service.change(actions.depart, body, call.game, viewer=Viewer(call.seat), **call.write_arguments)
    return seats_answer(call.service, call.game, call.service.members(call.game))


def departure_answer(call: ActionCall, departure: Departure) -> DeparturesAnswer:
    """A list of that departure."""
    return DeparturesAnswer(call.match, (departure,), call.repository.names(call.match).members.ended)


def panel_values(shown: Shown) -> Mapping[str, Any]:
    """Who has left, in words."""
    share = shown.service.discussion(shown.visitor.game).of(Departures)
    return {"departures": [departure_text(each) for each in share.all]}


FEED = FeedSource("departure", lambda discussion: discussion.of(Departures).all, departure_answer, "departure")
PANELS = (Panel("around", "departures/panel.html", panel_values),)
FORMS = (FormAction("/games/{game}/leave", depart, requires_head=False, gives_up_seat=True),)
