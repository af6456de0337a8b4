/** Senders: addresses that emails of the account can come from. */
export { sendersKey, senderProblem, useSenders } from './senders.ts'
