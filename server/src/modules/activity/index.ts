/** Activity: what lately happened to the jobs of an account, of whatever kind. What other modules may use. */
export { activityRoutes } from './activity.routes.ts'
