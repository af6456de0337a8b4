import { parseJson } from '@portico/contract/json-values'
import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { callerKey, readPersonalAddress } from '@portico/contract/email-address'
import { messages } from '@portico/contract/messages'
import { menuNames, timeoutMinutes } from '@portico/contract/preferences'
import { versionOfChange } from '@portico/contract/versions'
import { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { requireAccount } from './accounts.service.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { AccountContext, Caller } from '#platform/http/context.ts'
import { lockPreferences, selectPreferences, updatePreferences } from './preferences.queries.ts'
import { readInput } from '#platform/input-problems.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'

/** Checks of the caller that later modules provide. */
export type PreferenceChecks = {
  /** The session and account that a token is for; null for any other text. */
  readSessionToken: (token: string) => Promise<{ sessionId: string; account: AccountId | null } | null>
  hasFactor: (db: Db, personId: string) => Promise<boolean>
  /** Whether the caller, an administrator, holds every right in the account. */
  holdsEverything: (caller: Caller) => boolean
}

/** The value of `Result`: empty on success, otherwise the problem and where it is. */
type PreferenceResult = { ErrorCode?: string; ErrorMessage?: string; ExceptionMessage?: string }

// More than an account would list by hand.
const maxEmails = 1000

/** Emails of the people who see a menu. Empty: everyone. With a leading -1: everyone except those listed. */
const MenuList = z
  .array(z.string())
  .max(maxEmails)
  .transform((entries, context) => {
    const seen = new Set<string>()
    return entries.map((entry, index) => {
      const fail = (message: string) => context.issues.push({ code: 'custom', message, path: [index], input: entry })
      const key = callerKey(entry)
      if (seen.has(key)) fail(messages.duplicateValue)
      seen.add(key)
      if (index === 0 && entry === '-1') return entry
      const read = entry === entry.trim() ? readPersonalAddress(entry) : { problem: null }
      if ('key' in read) return read.address
      fail(read.problem ?? messages.invalidEmail)
      return entry
    })
  })

const homeRequired = 'The Home menu cannot be turned off'

/** Omitted menus are hidden. */
const Preference = z.strictObject({
  menus: z
    .partialRecord(z.enum(menuNames), MenuList)
    .refine((menus) => menus.home?.length === 0, { message: homeRequired, path: ['home'] }),
  timeout: z.literal(timeoutMinutes, messages.invalid),
  requiresTwoFactor: z.boolean().optional(),
  fullScreenIsActivity: z.boolean().optional(),
  ...versionOfChange,
})

/**
 * Validates and saves the visibility of menus in an account, and its idle timeout. This legacy call returns problems in
 * its result instead of throwing them.
 * @throws newer_version
 */
export async function setPreferences(
  context: AccountContext,
  checks: PreferenceChecks,
  { AccountID, IdentityToken, Preference: text }: { AccountID: AccountId; IdentityToken: string; Preference: string },
): Promise<PreferenceResult> {
  const { caller, callerNow, account, actor } = context
  if (AccountID !== account) {
    return refused(
      'WrongAccount',
      'The preferences of another account cannot be changed.',
      'AccountID does not match the token.',
    )
  }
  const session = await checks.readSessionToken(IdentityToken)
  if (!session || session.sessionId !== caller.sessionId || session.account !== account) {
    return refused(
      'WrongToken',
      'The token does not belong to the caller.',
      'IdentityToken does not belong to the session of this request.',
    )
  }
  const { data: preference, problems } = readInput(Preference, readJson(text))
  if (problems) {
    const [problem] = problems
    const { field, message } = problem ?? { field: 'Preference', message: messages.invalid }
    return refused('InvalidPreference', message, `Preference.${field}: ${message}`)
  }
  return inTransaction(context.db, async (tx) => {
    const row = await lockPreferences(tx, account)
    // The requirement, or the caller's rights, may have changed while this call waited for the row.
    const refusal = await requirementRefusal(tx, account, checks, await callerNow(), preference.requiresTwoFactor)
    if (refusal) return refusal
    requireVersion(row, preference.version)
    await savePreferences(tx, account, { row, preference, by: actor })
    return {}
  })
}

/** Why the caller may not turn the two-factor requirement on or off; null if they may. */
async function requirementRefusal(
  tx: Db,
  account: AccountId,
  { hasFactor, holdsEverything }: PreferenceChecks,
  caller: Caller,
  requiresTwoFactor: boolean | undefined,
): Promise<PreferenceResult | null> {
  // Otherwise the requirement would lock out the admin who turns it on.
  if (requiresTwoFactor && !(await hasFactor(tx, caller.personId))) {
    const message = 'Turn on two-factor for yourself first, or add a passkey.'
    return refused('NoTwoFactor', message, `Preference.requiresTwoFactor: ${message}`)
  }
  // Turning it off gives access to people who were locked out.
  const isTurnedOff = requiresTwoFactor === false && (await selectPreferences(tx, account)).requiresTwoFactor === true
  if (!isTurnedOff || holdsEverything(caller)) return null
  const message = 'Only those who hold every right in the account can stop requiring two-factor.'
  return refused('ExceedsRights', message, `Preference.requiresTwoFactor: ${message}`)
}

async function savePreferences(
  tx: Db,
  account: AccountId,
  {
    row,
    preference,
    by,
  }: { row: Parameters<typeof nextVersion>[0]; preference: z.output<typeof Preference>; by: Actor },
): Promise<void> {
  const { menus, timeout, requiresTwoFactor, fullScreenIsActivity } = preference
  const before = await selectPreferences(tx, account)
  const wanted = {
    menus,
    timeout,
    requiresTwoFactor: requiresTwoFactor ?? before.requiresTwoFactor,
    fullScreenIsActivity: fullScreenIsActivity ?? before.fullScreenIsActivity ?? false,
  }
  const details = changedValues(before, wanted)
  await updatePreferences(tx, account, wanted, nextVersion(row, by, Object.keys(details)))
  const { name } = await requireAccount(tx, account)
  await recordAudit(tx, { ...by, account, action: 'preferences changed', subject: name, details })
}

function refused(code: string, message: string, exception: string): PreferenceResult {
  return { ErrorCode: code, ErrorMessage: message, ExceptionMessage: exception }
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
