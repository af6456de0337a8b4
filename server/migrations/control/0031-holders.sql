-- What is stored and acts later names whose rights it acts with (its holder): one identity and the person it had, or an API
-- credential of it. See docs/decisions/0087.

-- Numbers of credentials are used again; their ids are not.
ALTER TABLE portico.api_credentials ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();
-- Whether the credential that stored something still works.
CREATE UNIQUE INDEX api_credentials_id_key ON portico.api_credentials (id);

ALTER TABLE portico.crons ADD COLUMN holder text;
UPDATE portico.crons c SET holder = 'identity ' || i.id || ' ' || coalesce(i.person_id, i.id)
FROM portico.identities i WHERE i.id = c.identity_id;
ALTER TABLE portico.crons DROP COLUMN identity_id;

-- Null where it is not known, as in some that were saved before: they then act with no rights of their own.
ALTER TABLE portico.dashboard_versions ADD COLUMN holder text;
ALTER TABLE portico.saved_filters ADD COLUMN holder text;

-- Earlier releases knew the person only: their identity in the account counts, or else the only one that opens it. Several
-- others are never combined, since it is not known which was used.
WITH opening AS (
  SELECT a.id AS account_id, i.person_id, i.id, coalesce(i.account_id = a.id, false) AS is_own
  FROM portico.accounts a JOIN portico.identities i ON i.account_id IS NULL OR i.account_id = a.id
    OR (i.account_id = a.parent_id AND i.access_to_all_sub_accounts)
  WHERE i.person_id IS NOT NULL AND i.accepted_at IS NOT NULL
), known AS (
  SELECT account_id, person_id, 'identity ' || coalesce((array_agg(id) FILTER (WHERE is_own))[1],
    CASE WHEN count(*) = 1 THEN (array_agg(id))[1] END) || ' ' || person_id AS holder
  FROM opening GROUP BY account_id, person_id
), versions AS (
  UPDATE portico.dashboard_versions v SET holder = k.holder
  FROM portico.dashboards d, known k
  WHERE d.id = v.dashboard_id AND k.account_id = d.account_id AND k.person_id = v.saved_by
)
UPDATE portico.saved_filters f SET holder = k.holder
FROM known k, portico.persons p
WHERE lower(p.email) = lower(f.creator) AND k.account_id = f.account_id AND k.person_id = p.id;

-- The API credential that requested a sender, which counts only as long as it works; null for people.
ALTER TABLE portico.mail_senders ADD COLUMN credential_id uuid;
