/**
 * Deliveries: notifications about finished jobs by email or HTTP, and file transfer by SFTP. The API for other modules.
 */
export {
  deliveriesPurpose,
  type DeliverySecrets,
  keptSecrets,
  splitSecrets,
  withoutSecrets,
  withSecrets,
} from './delivery-secrets.ts'
export { deliveredLinkRefusal } from './delivered-file.service.ts'
export { deliveryRoutes } from './delivery.routes.ts'
export { runDeliveryJob, runLetterJob } from './delivery.jobs.ts'
export { type DeliveryDeps, runDelivery } from './delivery-run.service.ts'
export { sizeInWords } from './delivery-send.service.ts'
export {
  abandonDeliveries,
  type DeliveryChange,
  deliveriesOf,
  enqueueDeliveries,
  listDeliveries,
  notificationsOf,
  planDeliveries,
  resendDelivery,
  sendEmailAbout,
  targetOf,
} from './delivery.service.ts'
export { sealedDeliverySecrets } from './sealed-secrets.queries.ts'
export { requireSenders } from './senders-of-notifications.ts'
export { fillHtml, fillText } from './placeholders.ts'
export { renameInDeliveries } from './renaming.service.ts'
export type { PreparedEmail } from './delivery-secrets.ts'
export type { DeliveredFile, DeliveryRow } from './deliveries.queries.ts'
export { deliveriesMark } from './registration.queries.ts'
export { openTrials, type Trials, tryLetter, tryUploadTo } from './trial.service.ts'
