"""Every page of the desk says who may use it, and what changes something is slowed down."""

from flask import Flask
from flask_limiter import Limiter

from bot.portal.company import domains, managers, overview, people, request_pages
from bot.portal.company.desk_routes import make_desk
from bot.portal.page_access import Who

ROUTES = [route for page in (request_pages, overview, domains, people, managers) for route in page.routes()]


def test_who_and_how_often():
    """A company's own pages are its managers'; every form has a limit."""
    for route in ROUTES:
        assert (route.who is Who.MANAGER) is ("<company_id>" in route.path), route.path
        assert bool(route.limit) is (route.method == "POST"), route.path


def test_the_blueprint():
    """Has them all."""
    app = Flask("desk", static_folder=None, template_folder=None)
    app.register_blueprint(make_desk(Limiter(lambda: "x", storage_uri="memory://")))
    assert len(list(app.url_map.iter_rules())) == len(ROUTES)
