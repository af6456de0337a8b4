-- Contacts within a distance: the filter looks at a box of latitudes and longitudes first. Built here for accounts that
-- have contacts already; otherwise the first import builds it with the other indexes of contact keys.
CREATE INDEX IF NOT EXISTS contact_keys_location_idx ON :account.contact_keys (latitude, longitude)
  WHERE latitude IS NOT NULL;
