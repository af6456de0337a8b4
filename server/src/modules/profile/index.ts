/** The caller's own profile: name and photo. */
export { profileRoutes } from './profile.routes.ts'
export { photoKeys } from './profile.service.ts'
