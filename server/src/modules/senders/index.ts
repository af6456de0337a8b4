/**
 * Senders: addresses that an account may send emails from, and its daily number of emails. Owns the tables mail_senders
 * and mail_counts.
 */
export { reserveMails, sendMailLimit } from './mail-limit.service.ts'
export { mostToStranger, reserveRecipients } from './recipient-limit.service.ts'
export { sendMailLimitJob, sendSenderLinkJob } from './senders.jobs.ts'
export { isPortalAddress, shownAuthor } from './sender-names.ts'
export { senderRoutes } from './senders.routes.ts'
export { requireSender, type SenderSettings, senderState, sendSenderLink } from './senders.service.ts'
