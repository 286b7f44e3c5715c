class WebhookActor(TypedDict):
    type: str
    id: str


class WebhookResource(TypedDict):
    type: str
    id: str
    url: str
    version: int | None


class WebhookEvent(TypedDict):
    """What the body of a webhook says."""

    # The same each time that the event is sent.
    id: str
    # For example `job.completed`.
    type: str
    api_version: str
    created_at: str
    # Unix seconds.
    timestamp: int
    organization_id: str
    # One more with each event of the organization: a gap says that one is missing.
    sequence: int
    source: Literal["job_lifecycle", "api_mutation", "test"]
    actor: WebhookActor
    request_id: str | None
    resource: WebhookResource
    data: dict[str, Any]
    changes: NotRequired[list[Any]]
    # `data` was too large and has ids and the status only: read the record.
    truncated: NotRequired[bool]
