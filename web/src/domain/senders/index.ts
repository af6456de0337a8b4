/** Senders: addresses that emails of the account can come from. */
export { fromNameHint, sendersKey, senderProblem, useSenders } from './senders.ts'
