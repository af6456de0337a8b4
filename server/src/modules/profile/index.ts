/** The own profile: name and photo. What other modules may use. */
export { profileRoutes } from './profile.routes.ts'
