"""The refusals of this GitHub, in the words and numbers of the real one."""

from typing import Any, Final, TypeVar

SECONDARY_LIMIT: Final = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."

_Found = TypeVar("_Found")


class ErrorResponse(Exception):
    """An answer other than success: the HTTP status, a message, and what else the JSON body should carry."""

    def __init__(self, status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}
        self.more = more

    def body(self) -> dict[str, Any]:
        """The JSON body as GitHub writes it (`basic-error` and `validation-error` of its OpenAPI)."""
        body = {"message": self.message, "documentation_url": "https://docs.github.com/rest", **self.more}
        return body if self.status == 422 else {**body, "status": str(self.status)}  # A 422 has no `status` at GitHub.


def not_found() -> ErrorResponse:
    """404: it is not there, or the caller may not know of it."""
    return ErrorResponse(404, "Not Found")  # Not 403, which would tell that it is there.


def existing(found: _Found | None) -> _Found:
    """The value itself; 404 where it is None."""
    if found is None:
        raise not_found()
    return found


def bad_credentials(message: str = "Bad credentials") -> ErrorResponse:
    """401: the token or key is not known."""
    return ErrorResponse(401, message)


def forbidden(message: str = "Resource not accessible by integration") -> ErrorResponse:
    """403: known, but without the permission."""
    return ErrorResponse(403, message)


def not_permitted(level: str, *permissions: str, by: str = "integration") -> ErrorResponse:
    """403, with the header that says that any of these permissions would do. `by`: the caller's authentication."""
    accepted = "; ".join(f"{permission}={level}" for permission in permissions)  # GitHub's "or" is `;`.
    return ErrorResponse(403, f"Resource not accessible by {by}", headers={"X-Accepted-GitHub-Permissions": accepted})


def invalid(resource: str, field: str, message: str) -> ErrorResponse:
    """422: the fields do not add up; one `custom` error as GitHub lists them."""
    return invalid_field(resource, field, "custom", message=message)


def invalid_field(resource: str, field: str, code: str, **more: str) -> ErrorResponse:
    """422 with one of GitHub's codes: `missing_field`, `invalid`, `already_exists`."""
    return ErrorResponse(
        422, "Validation Failed", errors=[{"resource": resource, "field": field, "code": code, **more}]
    )
