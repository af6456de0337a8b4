import { readPersonalAddress, repeatedAddresses } from '@portico/contract/email-address'
import { messages } from '@portico/contract/messages'
import { type AccountPreferences, menuNames, timeoutMinutes } from '@portico/contract/preferences'
import { z } from 'zod'

type MenuName = (typeof menuNames)[number]

/** Audience of a menu. */
export const audiences = ['off', 'everyone', 'only', 'except'] as const
export type Audience = (typeof audiences)[number]

export const audienceLabels: Record<Audience, string> = {
  off: 'Off',
  everyone: 'Everyone',
  only: 'Only these e-mails',
  except: 'Everyone except these',
}

export const menuLabels: Record<MenuName, string> = {
  home: 'Home',
  dashboards: 'Dashboards',
  campaigns: 'Campaigns',
  assets: 'Assets',
  crm: 'CRM',
  marketintel: 'Market Intel',
  contactservice: 'List Service',
  settings: 'Settings',
}

type MenuValues = {
  audience: Audience
  /** Comma separated, without spaces; applies to `only` and `except`. */
  emails: string
}
export type PreferencesValues = {
  menus: Record<MenuName, MenuValues>
  timeout: string
  requiresTwoFactor: boolean
  fullScreenIsActivity: boolean
}

/** The first entry of a list whose other entries do not see the menu. */
const exceptMark = '-1'

/** The form's values for stored preferences. */
export const toValues = ({
  menus,
  timeout,
  requiresTwoFactor,
  fullScreenIsActivity = false,
}: AccountPreferences): PreferencesValues => ({
  // Every name in the list gets a value.
  menus: Object.fromEntries(menuNames.map((name) => [name, toMenuValues(name, menus[name])])) as Record<
    MenuName,
    MenuValues
  >,
  timeout: String(timeoutMinutes.includes(timeout as (typeof timeoutMinutes)[number]) ? timeout : timeoutMinutes[0]),
  requiresTwoFactor,
  fullScreenIsActivity,
})

function toMenuValues(name: MenuName, list: string[] | undefined): MenuValues {
  if (name === 'home') return { audience: 'everyone', emails: '' }
  if (!list) return { audience: 'off', emails: '' }
  if (list[0] === exceptMark)
    return { audience: list.length > 1 ? 'except' : 'everyone', emails: list.slice(1).join(',') }
  return { audience: list.length > 0 ? 'only' : 'everyone', emails: list.join(',') }
}

/** Preferences to save. Menus unknown to this form stay as in `before`. */
export function toPreferences(
  { menus, timeout, requiresTwoFactor, fullScreenIsActivity }: PreferencesValues,
  before: AccountPreferences,
): AccountPreferences {
  const known: readonly string[] = menuNames
  const others = Object.entries(before.menus).filter(([name]) => !known.includes(name))
  const shown = menuNames.flatMap((name) => {
    const list = toList(menus[name])
    return list ? [[name, list] as const] : []
  })
  const isOn = { requiresTwoFactor, fullScreenIsActivity }
  return {
    menus: Object.fromEntries([...others, ...shown]),
    timeout: Number(timeout),
    ...isOn,
    version: before.version,
  }
}

function toList({ audience, emails }: MenuValues): string[] | null {
  if (audience === 'off') return null
  if (audience === 'everyone') return []
  return audience === 'only' ? emails.split(',') : [exceptMark, ...emails.split(',')]
}

/** Problem of a list of emails; null without one. */
export function emailsProblem(emails: string): string | null {
  if (emails === '') return messages.required
  const all = emails.split(',')
  for (const email of all) {
    const read = /\s/.test(email) ? { problem: null } : readPersonalAddress(email)
    if ('problem' in read) return read.problem ?? messages.invalidEmail
  }
  return repeatedAddresses(all).length > 0 ? messages.duplicateValue : null
}

const menuSchema = z
  .object({ audience: z.enum(audiences), emails: z.string() })
  .superRefine(({ audience, emails }, context) => {
    const problem = takesEmails(audience) ? emailsProblem(emails) : null
    if (problem !== null) context.addIssue({ code: 'custom', message: problem, path: ['emails'] })
  })

export const takesEmails = (audience: Audience): boolean => audience === 'only' || audience === 'except'

export const preferencesSchema = z.object({
  menus: z.record(z.enum(menuNames), menuSchema),
  timeout: z.enum(timeoutMinutes.map(String)),
  requiresTwoFactor: z.boolean(),
  fullScreenIsActivity: z.boolean(),
})
