/**
 * Remote accesses: pages of other sites and programs read contacts and record events without a sign-in. The API for
 * other modules.
 */
export { remoteAccessRoutes } from './remote-access.routes.ts'
export { remoteAccessFields } from './field-uses.ts'
export { createRemoteAccess, listRemoteAccesses } from './remote-accesses.service.ts'
