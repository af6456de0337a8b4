import { messages } from './messages.ts'

/** Every error the API can return. The code is the contract; the text may change. */
export const errors = {
  invalid_input: { status: 400, text: 'Some fields are not valid.' },
  access_refused: { status: 403, text: 'No remote access lets this page or address do this.' },
  invalid_filter: { status: 400, text: 'The filter is not valid.' },
  not_signed_in: { status: 401, text: 'Please sign in.' },
  signed_out_of_account: {
    status: 401,
    text: 'You were signed out of this account. Please sign in again to use it.',
  },
  wrong_credentials: { status: 401, text: 'The email or password is wrong.' },
  outside_limits: { status: 401, text: 'You do not have access at this time or from this address.' },
  no_account: { status: 403, text: 'No dashboard account is associated with the user' },
  not_allowed: { status: 403, text: 'You may not do this. Contact your admin to see how you can get this feature.' },
  exceeds_rights: { status: 403, text: 'You cannot give or change more than you hold yourself.' },
  password_temporary: { status: 403, text: 'Choose your own password to continue.' },
  password_needed: { status: 403, text: 'Enter your password again to continue.' },
  two_factor_needed: {
    status: 403,
    text: 'Two-factor authentication is required. Set it up or use a passkey to continue.',
  },
  row_rule_invalid: {
    status: 403,
    text: 'The rule for the contacts that you may see cannot be applied. Ask an administrator to correct your identity.',
  },
  link_invalid: { status: 403, text: 'This link is not valid or has expired.' },
  not_found: { status: 404, text: 'This does not exist, or you do not have access to it.' },
  name_taken: { status: 409, text: messages.duplicate },
  in_use: { status: 409, text: 'This is in use and cannot be deleted.' },
  limit_reached: { status: 409, text: 'Limit reached.' },
  field_busy: {
    status: 409,
    text: 'An import or export is running or waiting. Change the field when it has ended.',
  },
  internal_index: { status: 409, text: 'This index is built in and cannot be deleted.' },
  parent_filter: { status: 403, text: 'This filter belongs to the parent account. Change it there.' },
  count_changed: { status: 409, text: 'The number of matching contacts has changed. Nothing was deleted.' },
  delete_in_progress: {
    status: 409,
    text: 'A delete request is already in progress. Please try again after a while.',
  },
  value_changed: { status: 409, text: 'The value has changed in the meantime.' },
  key_taken: { status: 409, text: 'Another contact has the same values in the dedup columns.' },
  value_taken: { status: 409, text: 'A unique index does not allow this value a second time.' },
  contact_busy: { status: 409, text: 'This contact is being written right now. Try again in a moment.' },
  import_running: {
    status: 409,
    text: 'An import is running. Contacts can be added, and dedup and coordinate columns changed, when it has ended.',
  },
  not_cancellable: { status: 409, text: 'This has already ended.' },
  not_undoable: { status: 409, text: 'This import cannot be taken back.' },
  not_restorable: { status: 409, text: 'This delete cannot be undone.' },
  not_ready: { status: 409, text: 'This is not finished yet.' },
  upload_too_slow: {
    status: 408,
    text: 'The upload was ended: less than 8 kB of it arrived within a minute. Try again on a faster connection.',
  },
  storage_full: { status: 413, text: 'This would exceed the storage quota of the account.' },
  too_large: { status: 413, text: 'This is larger than allowed.' },
  url_too_long: { status: 414, text: 'This URL is too long.' },
  headers_too_large: { status: 431, text: 'The headers of this request are larger than allowed.' },
  too_many_attempts: { status: 429, text: 'Too many failed attempts. Try again in 15 minutes.' },
  too_many_requests: { status: 429, text: 'Too many requests. Try again in a moment.' },
  not_author: { status: 403, text: 'Only the author of this dashboard may do this.' },
  newer_version: { status: 409, text: 'Someone has saved this in the meantime.' },
  only_dashboard: { status: 409, text: 'This is the only dashboard. Create another one before you delete it.' },
  sharing_changed: { status: 409, text: 'Your permission has changed since last sharing!' },
  cron_terminated: { status: 409, text: 'This cron is terminated and cannot be changed.' },
  too_many_runs: { status: 400, text: 'Too many runs. Choose a shorter time.' },
  run_waiting: { status: 409, text: 'A run of this cron is waiting already.' },
  cell_failed: { status: 422, text: 'This cell cannot be shown.' },
  geocoding_failed: { status: 422, text: 'No results could be found!' },
  timed_out: { status: 422, text: 'This took too long and was stopped. Narrow the filter, or index the field.' },
  unexpected: { status: 500, text: 'Something went wrong on our side.' },
  server_away: {
    status: 503,
    text: 'The server of this account cannot be reached. Its data is safe; try again in a few minutes.',
  },
  unavailable: { status: 503, text: 'The portal is not available right now. Try again in a moment.' },
} as const

export type ErrorCode = keyof typeof errors

/** The only form of error bodies. `details` of `invalid_input` lists the field problems. */
export type ErrorReply = { error: { code: ErrorCode; message: string; details?: unknown } }

/** One entry of `details` for `invalid_input`. */
export type FieldProblem = { field: string; message: string }
