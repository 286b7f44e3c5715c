-- Attempts of webhooks are made by effects that have several of them. What an older process has left under
-- way is told in the new way, so that the next one finds it.
UPDATE "effect" SET
  "kind" = 'deliver_webhooks',
  "intent" = json_build_object('attempts', json_build_array(json_build_object(
    'id', "effect"."intent" ->> 'attemptId',
    'eventId', (SELECT "event_id" FROM "webhook_attempt" AS "attempt"
      WHERE "attempt"."organization_id" = "effect"."organization_id" AND "attempt"."id" = "effect"."intent" ->> 'attemptId')
  )))
WHERE "kind" = 'deliver_webhook';
