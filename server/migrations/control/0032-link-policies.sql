-- The policies that an impersonation link was made with, besides their names: a policy that gets such a name later is not among
-- them. Null for all, and for links of earlier releases, which end within two days and go by the names.
ALTER TABLE portico.impersonations ADD COLUMN policy_ids uuid[];
