import { contactsApi } from './contacts.ts'
import { exportsApi } from './exports.ts'
import { filesApi } from './files.ts'
import { identityApi } from './identity.ts'
import { importsApi } from './imports.ts'

/** Every call the portal offers, in one place: what the server serves, the web app calls and the docs list. */
export const api = { ...identityApi, ...contactsApi, ...filesApi, ...importsApi, ...exportsApi }
