/** Recent activity: an account's latest jobs of every registered kind, and change marks of its lists. */
export { activityRoutes } from './activity.routes.ts'
