/** Recent activity of an account, and the notifications derived from it. */
export { activityPath, activitySummary, useActivity } from './activity.ts'
export { type Notification, useNotifications } from './notifications.ts'
