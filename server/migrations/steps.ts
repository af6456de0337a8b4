import type pg from 'pg'
import { writeCanonicalHosts } from './canonical-hosts.ts'
import { fillEmailKeys } from './email-keys.ts'
import { tidyEventFieldNames } from './event-field-names.ts'
import { fillFieldCodes } from './field-codes.ts'
import { accountNames, controlNames, fillNameKeys } from './name-keys.ts'

/**
 * A part of a migration that SQL cannot express, such as a value computed by a function of the contract. Runs in the
 * migration's transaction, on the tables as its earlier statements leave them. `schema`: `portico` or that of an
 * account.
 */
export type MigrationStep = (client: pg.ClientBase, schema: string) => Promise<void>

/** By the name with which a migration calls them: `RUN name;`. Like migrations, never edited after release. */
export const steps: Record<string, MigrationStep> = {
  fillEmailKeys: (client) => fillEmailKeys(client),
  fillControlNameKeys: (client, schema) => fillNameKeys(client, schema, controlNames),
  writeCanonicalHosts,
  fillFieldCodes,
  fillAccountNameKeys: (client, schema) => fillNameKeys(client, schema, accountNames),
  tidyEventFieldNames,
}
