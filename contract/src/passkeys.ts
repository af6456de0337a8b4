import { z } from 'zod'
import { AccountEntry } from './accounts.ts'
import { Instant } from './jobs.ts'
import { messages } from './messages.ts'
import type { Route } from './route.ts'
import { User } from './sign-in.ts'

/** The largest number of passkeys of a person. */
export const mostPasskeys = 10

export const PasskeyName = z.string().trim().min(1, messages.required).max(64, 'Use at most 64 characters.')

/** Bytes as WebAuthn writes them in JSON: base64url without padding. `most` is the number of characters. */
const bytes = (most: number) =>
  z
    .string()
    .min(1, messages.required)
    .max(most)
    .regex(/^[\w-]+$/, messages.invalid)

/** At most 1,023 bytes, by WebAuthn Level 3, 4. */
const CredentialId = bytes(1364)
/** A random challenge, sealed with its purpose and expiry: five minutes. */
const ChallengeToken = bytes(2000)
const Challenge = z.object({ token: z.string(), challenge: z.string(), rpId: z.string() })

/** The signed proof of an authenticator that its owner is there (WebAuthn Level 3, 5.2.2). */
const PasskeyProof = z.strictObject({
  id: CredentialId,
  clientDataJSON: bytes(8000),
  authenticatorData: bytes(4000),
  signature: bytes(4000),
  userHandle: bytes(100),
})
export type PasskeyProof = z.output<typeof PasskeyProof>

/** The answer of an authenticator with a new passkey (WebAuthn Level 3, 5.2.1). */
const NewPasskey = z.strictObject({
  id: CredentialId,
  clientDataJSON: bytes(8000),
  attestationObject: bytes(16_000),
  /** How browsers reach it, such as `internal` or `usb`. */
  transports: z.array(z.string().regex(/^[a-z-]{1,20}$/, messages.invalid)).max(10),
})
export type NewPasskey = z.output<typeof NewPasskey>

const Credential = z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()) })

export const Passkey = z.object({
  _id: z.string(),
  name: z.string(),
  /** Kept in an account of its person's, for several devices; otherwise on one device only. */
  isSynced: z.boolean(),
  createdAt: Instant,
  /** The last sign-in with it. */
  lastUsedAt: Instant.nullable(),
})
export type Passkey = z.output<typeof Passkey>

const Password = z.string().min(1, messages.required).max(1000)
/** The password; with two-factor on, also a code of the app or a recovery code. */
const Proof = z.strictObject({ password: Password, code: z.string().trim().max(20, messages.invalid).optional() })

const path = '/identity/v1'

/** Calls about passkeys: to sign in with one, and to manage one's own (ADR 0161). */
export const passkeysApi = {
  beginPasskeySignIn: {
    method: 'POST',
    path: `${path}/passkey-challenges`,
    summary: 'Get a challenge to sign in with a passkey, valid once and for five minutes',
    access: 'public',
    stores: false,
    reply: Challenge,
    errors: ['not_found'],
  },
  /** `password_temporary`: as for `login`. */
  signInWithPasskey: {
    method: 'POST',
    path: `${path}/passkey-login`,
    summary: 'Sign in with a passkey, which counts as both factors',
    access: 'public',
    stores: false,
    body: z.strictObject({ token: ChallengeToken, passkey: PasskeyProof }),
    reply: z.object({ token: z.string(), user: User, accounts: z.array(AccountEntry) }),
    errors: [
      'wrong_credentials',
      'password_temporary',
      'too_many_attempts',
      'too_many_requests',
      'no_account',
      'outside_limits',
    ],
  },
  listPasskeys: {
    method: 'GET',
    path: `${path}/profile/passkeys`,
    summary: 'List your passkeys, the oldest first',
    access: 'self',
    reply: z.array(Passkey),
  },
  beginPasskey: {
    method: 'POST',
    path: `${path}/profile/passkey-challenges`,
    summary: 'Get a challenge for a new passkey, valid once and for five minutes',
    access: 'self',
    stores: { what: 'access', does: 'add passkeys' },
    body: Proof,
    reply: Challenge.extend({
      product: z.string(),
      user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
      /** The passkeys that the person has: a device does not make a second one. */
      excludeCredentials: z.array(Credential),
    }),
    errors: ['too_many_attempts', 'limit_reached'],
  },
  addPasskey: {
    method: 'POST',
    path: `${path}/profile/passkeys`,
    summary: 'Add a passkey: it signs in without a password and without a code',
    access: 'self',
    stores: { what: 'access', does: 'add passkeys' },
    body: z.strictObject({ token: ChallengeToken, name: PasskeyName, passkey: NewPasskey }),
    reply: Passkey,
    status: 201,
    errors: ['limit_reached', 'name_taken'],
  },
  renamePasskey: {
    method: 'PUT',
    path: `${path}/profile/passkeys/:id`,
    summary: 'Rename one of your passkeys',
    access: 'self',
    stores: false,
    params: z.object({ id: z.string() }),
    body: z.strictObject({ name: PasskeyName }),
    reply: Passkey,
    errors: ['not_found'],
  },
  removePasskey: {
    method: 'DELETE',
    path: `${path}/profile/passkeys/:id`,
    summary: 'Remove one of your passkeys, and end the other sessions that were started with it',
    access: 'self',
    stores: false,
    params: z.object({ id: z.string() }),
    body: Proof,
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'too_many_attempts'],
  },
} as const satisfies Record<string, Route>
