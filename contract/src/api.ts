import { contactsApi, Field, Offer } from './contacts.ts'
import { Export, exportsApi, NewExport } from './exports.ts'
import { filesApi } from './files.ts'
import { AccountEntry, Deployment, identityApi, Preferences, User } from './identity.ts'
import { Import, importsApi, NewImport } from './imports.ts'
import { Count } from './list-query.ts'

/** Every call the portal offers, in one place: what the server serves, the web app calls and the docs list. */
export const api = { ...identityApi, ...contactsApi, ...filesApi, ...importsApi, ...exportsApi }

/** The schemas that the API's description calls by name; all others stand where they are used. */
export const namedSchemas = {
  AccountEntry,
  Count,
  Deployment,
  Export,
  Field,
  Import,
  NewExport,
  NewImport,
  Offer,
  Preferences,
  User,
}
