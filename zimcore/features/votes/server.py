"""Votes on the network: handlers, what listeners are told, and the panel with the seats that are out of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zimcore.documents.query_parameters import PageQuery
from zimcore.features.votes import actions
from zimcore.features.votes.documents import Vote, VotesAnswer
from zimcore.features.votes.events import Votes
from zimcore.server.endpoints.routing import serve
from zimcore.server.news.feeds import FeedSource
from zimcore.server.pages.form_handlers import FormAction
from zimcore.server.pages.panels import Panel, Shown
from zimcore.service.actions import ActionCall

votes = serve(actions.votes)
vote = serve(actions.vote)


def vote_answer(call: ActionCall, new_vote: Vote) -> VotesAnswer:
    """A list of that vote."""
    return VotesAnswer(call.match, (), (new_vote,), ended=call.repository.names(call.match).members.ended)


def panel_values(shown: Shown) -> Mapping[str, Any]:
    """For a player, the seats that are out of time."""
    late = shown.service.query(actions.votes, PageQuery(), shown.visitor.game).late if shown.is_player else ()
    return {"late": late}


FEED = FeedSource("vote", lambda discussion: discussion.of(Votes).cast, vote_answer, "vote")
PANELS = (Panel("act", "votes/panel.html", panel_values),)
FORMS = (FormAction("/games/{game}/votes", vote),)
