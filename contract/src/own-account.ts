import { z } from 'zod'
import { AccountEntry } from './accounts.ts'
import { User } from './sign-in.ts'
import { Email } from './email-schemas.ts'
import { messages } from './messages.ts'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'

export const passwordLength = { min: 8, max: 128 } as const
/** Size limit of an uploaded photo. */
export const photoMaxBytes = 5 * 1024 * 1024

/** A new password. The server refuses the most common ones and those derived from the email. */
export const NewPassword = z
  .string()
  .min(1, messages.required)
  .min(passwordLength.min, `Use at least ${passwordLength.min} characters.`)
  .max(passwordLength.max, `Use at most ${passwordLength.max} characters.`)

const Password = z.string().min(1, messages.required).max(1000)
/** Six digits of an authenticator app, or a recovery code. */
const Code = z.string().trim().min(6, messages.invalid).max(20, messages.invalid)
const UserName = z.string().trim().max(100, 'Use at most 100 characters.')
const LinkToken = z.string().min(20).max(200)

const Invitation = z.object({
  email: z.string(),
  userName: z.string().nullable(),
  accounts: z.array(z.string()),
  /** In words, for the start of a sentence; null if the portal itself sent it. */
  invitedBy: z.string().nullable(),
  /** The person already has a password, and accepts after signing in. */
  isRegistered: z.boolean(),
  expiresAt: Instant,
})
const PasswordReset = z.object({ email: z.string(), userName: z.string().nullable() })

const TwoFactor = z.object({ isOn: z.boolean(), since: Instant.nullable(), recoveryCodesLeft: z.number().int() })
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) })

export const Profile = z.object({
  /** Counts the changes of name and photo. */
  version: Version,
  email: z.string(),
  userName: z.string().nullable(),
  photoURL: z.string().nullable(),
  passwordChangedAt: Instant.nullable(),
  twoFactor: TwoFactor,
})
export type Profile = z.output<typeof Profile>

/** A session of the caller that has not ended. */
export const OwnSession = z.object({
  _id: z.string(),
  /** In words, such as `Chrome on Windows`. */
  device: z.string(),
  address: z.string(),
  createdAt: Instant,
  lastSeenAt: Instant,
  expiresAt: Instant,
  isCurrent: z.boolean(),
})
export type OwnSession = z.output<typeof OwnSession>

const path = '/identity/v1'

/** Calls about one's own account: registration, password, two-factor, sessions, profile. */
export const ownAccountApi = {
  /** The secret is in the body because logs of proxies contain paths. */
  readInvitation: {
    method: 'POST',
    path: `${path}/invitations`,
    summary: 'Get the recipient, sender and accounts of an invitation',
    access: 'public',
    stores: false,
    body: z.strictObject({ invitation: LinkToken }),
    reply: Invitation,
    errors: ['link_invalid'],
  },
  /** For older clients. */
  getInvitation: {
    method: 'GET',
    path: `${path}/invitations/:invitation`,
    summary: 'Get the recipient, sender and accounts of an invitation',
    access: 'public',
    params: z.object({ invitation: LinkToken }),
    reply: Invitation,
    errors: ['link_invalid'],
  },
  register: {
    method: 'POST',
    path: `${path}/register`,
    summary: 'Accept an invitation: choose a password and sign in',
    access: 'public',
    stores: false,
    body: z.strictObject({
      invitation: LinkToken,
      password: NewPassword,
      userName: UserName.min(1, messages.required),
    }),
    reply: z.object({ token: z.string(), user: User, accounts: z.array(AccountEntry) }),
    errors: ['link_invalid', 'no_account'],
  },
  /** Same response in the same time, whether or not the email is known. */
  forgotPassword: {
    method: 'POST',
    path: `${path}/forgot-password`,
    summary: 'Email a password reset link, valid once and for an hour',
    access: 'public',
    stores: false,
    body: z.strictObject({ email: Email }),
    reply: z.null(),
    status: 204,
    errors: ['too_many_requests'],
  },
  readPasswordReset: {
    method: 'POST',
    path: `${path}/password-resets`,
    summary: 'Get the person whose password a reset link changes',
    access: 'public',
    stores: false,
    body: z.strictObject({ link: LinkToken }),
    reply: PasswordReset,
    errors: ['link_invalid'],
  },
  /** For older clients. */
  getPasswordReset: {
    method: 'GET',
    path: `${path}/password-resets/:link`,
    summary: 'Get the person whose password a reset link changes',
    access: 'public',
    params: z.object({ link: LinkToken }),
    reply: PasswordReset,
    errors: ['link_invalid'],
  },
  resetPassword: {
    method: 'POST',
    path: `${path}/reset-password`,
    summary: 'Reset the password with such a link; ends all sessions',
    access: 'public',
    stores: false,
    body: z.strictObject({ link: LinkToken, password: NewPassword }),
    reply: z.object({ email: z.string() }),
    errors: ['link_invalid'],
  },
  changePassword: {
    method: 'PUT',
    path: `${path}/profile/password`,
    summary: 'Change your password; ends all other sessions and impersonation links',
    access: 'self',
    stores: { what: 'access', does: 'change passwords' },
    body: z.strictObject({ currentPassword: Password, newPassword: NewPassword }),
    reply: z.null(),
    status: 204,
    errors: ['too_many_attempts'],
  },
  getProfile: {
    method: 'GET',
    path: `${path}/profile`,
    summary: 'Get your profile',
    access: 'self',
    reply: Profile,
  },
  updateProfile: {
    method: 'PUT',
    path: `${path}/profile`,
    summary: 'Change your name',
    access: 'self',
    stores: false,
    body: z.strictObject({ userName: UserName.nullable(), ...versionOfChange }),
    reply: Profile,
    errors: ['newer_version'],
  },
  /** The body is the image's bytes. It is cropped to a centered square and encoded again. */
  putPhoto: {
    method: 'PUT',
    path: `${path}/profile/photo`,
    summary: 'Set your photo: a JPEG, PNG or WebP image of at most 25 megapixels',
    access: 'self',
    stores: false,
    query: z.object({ version: z.coerce.number().pipe(Version).optional() }),
    body: z.file(),
    maxBytes: photoMaxBytes,
    reply: Profile,
    errors: ['too_large', 'too_many_requests', 'newer_version'],
  },
  /** The name cannot be guessed, because browsers send no token with an image. */
  getPhoto: {
    method: 'GET',
    path: `${path}/photos/:name`,
    summary: 'Get a photo by the URL in a profile; immutable',
    access: 'public',
    params: z.object({ name: z.string() }),
    reply: z.file(),
    errors: ['not_found'],
  },
  deletePhoto: {
    method: 'DELETE',
    path: `${path}/profile/photo`,
    summary: 'Remove your photo',
    access: 'self',
    stores: false,
    reply: Profile,
  },
  setUpTwoFactor: {
    method: 'POST',
    path: `${path}/profile/two-factor`,
    summary: 'Create a secret for an authenticator app; two-factor is on once a code is confirmed',
    access: 'self',
    stores: { what: 'access', does: 'change two-factor sign-in' },
    body: z.strictObject({ password: Password }),
    reply: z.object({
      /** For manual entry, in groups of four. */
      secret: z.string(),
      uri: z.string(),
      /** An SVG image as a data URL. */
      qrCode: z.string(),
    }),
    errors: ['too_many_attempts', 'name_taken'],
  },
  confirmTwoFactor: {
    method: 'POST',
    path: `${path}/profile/two-factor/confirmation`,
    summary: 'Turn on two-factor with a code from the app; returns ten recovery codes once',
    access: 'self',
    stores: { what: 'access', does: 'change two-factor sign-in' },
    body: z.strictObject({ code: Code }),
    reply: RecoveryCodes,
    errors: ['too_many_attempts'],
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: `${path}/profile/two-factor/recovery-codes`,
    summary: 'Replace your recovery codes with ten new ones',
    access: 'self',
    stores: { what: 'access', does: 'change two-factor sign-in' },
    body: z.strictObject({ password: Password, code: Code }),
    reply: RecoveryCodes,
    errors: ['too_many_attempts'],
  },
  turnTwoFactorOff: {
    method: 'DELETE',
    path: `${path}/profile/two-factor`,
    summary: 'Turn off two-factor',
    access: 'self',
    stores: { what: 'access', does: 'change two-factor sign-in' },
    body: z.strictObject({ password: Password, code: Code }),
    reply: z.null(),
    status: 204,
    errors: ['too_many_attempts'],
  },
  listOwnSessions: {
    method: 'GET',
    path: `${path}/profile/sessions`,
    summary: 'List your active sessions, the current one first, then by last activity',
    access: 'self',
    reply: z.array(OwnSession),
  },
  endOwnSession: {
    method: 'DELETE',
    path: `${path}/profile/sessions/:id`,
    summary: 'End one of your sessions',
    access: 'self',
    stores: false,
    params: z.object({ id: z.string() }),
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'password_needed'],
  },
  endOtherSessions: {
    method: 'DELETE',
    path: `${path}/profile/sessions`,
    summary: 'End all your sessions except this one, and the impersonation links that you created',
    access: 'self',
    stores: false,
    reply: z.object({ ended: z.number().int(), endedLinks: z.number().int() }),
    errors: ['password_needed'],
  },
  /** For calls that fail with `password_needed` because the password was not confirmed within the last 15 minutes. */
  givePassword: {
    method: 'POST',
    path: `${path}/profile/given-password`,
    summary: 'Confirm your password, which holds for 15 minutes of this session',
    access: 'self',
    stores: false,
    body: z.strictObject({ password: Password }),
    reply: z.null(),
    status: 204,
    errors: ['too_many_attempts'],
  },
} as const satisfies Record<string, Route>
