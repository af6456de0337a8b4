import { features } from '@portico/contract/features'
import { impersonationApi, impersonationFlags, impersonationHours, listOfNames } from '@portico/contract/impersonation'
import { z } from 'zod'

/** Values of the form. */
export const linkSchema = z.object({
  ip: impersonationApi.impersonate.params.shape.ip,
  hours: z.number().int().min(impersonationHours.min).max(impersonationHours.max),
  permissions: z.array(z.string()).min(1, 'At least one permission must be checked.'),
})
export type LinkValues = z.input<typeof linkSchema>

export type LinkRequest = LinkValues & {
  /** All permissions that could have been chosen. */
  held: readonly string[]
}

/** Last part of the call's path; null if everything is selected, which needs none. */
export function policyList({ permissions, held }: Pick<LinkRequest, 'permissions' | 'held'>): string | null {
  if (held.every((name) => permissions.includes(name))) return null
  return listOfNames([...permissions, ...impersonationFlags])
}

const flags: readonly string[] = impersonationFlags

/** Returns the permissions among the names of a link, which also holds the flags that the form adds. */
export const permissionsIn = (names: readonly string[]): string[] => names.filter((name) => !flags.includes(name))

/** The address that signs in to the account with the token. */
export const linkUrl = (origin: string, token: string, account: number): string =>
  `${origin}/#${new URLSearchParams({ token, aid: String(account) })}`

export type PermissionGroup = { service: string; names: string[] }

const serviceLabels: Record<string, string> = {
  bi: 'Dashboards & Reports',
  'contact-service': 'List Service',
  scheduler: 'Scheduler',
}
/** Two letters and a dash at the beginning of a policy's name identify its service. */
const prefixServices: Record<string, string> = { bi: 'bi', cs: 'contact-service', sc: 'scheduler' }
const otherPolicies = 'Policies'

/** Permissions of a person by service; policies without a service prefix come last. */
export function groupPermissions(held: readonly string[]): PermissionGroup[] {
  const groups = new Map<string, string[]>([...Object.values(serviceLabels), otherPolicies].map((name) => [name, []]))
  for (const name of held.toSorted((a, b) => a.localeCompare(b, 'en-US'))) groups.get(serviceOf(name))?.push(name)
  return [...groups].map(([service, names]) => ({ service, names })).filter(({ names }) => names.length > 0)
}

function serviceOf(name: string): string {
  const action: string | undefined = Object.hasOwn(features, name) ? features[name as keyof typeof features] : undefined
  const [service = ''] = action?.split('::') ?? []
  const [, prefix = ''] = /^([a-z]{2})[-_: .]/i.exec(name) ?? []
  return serviceLabels[service || (prefixServices[prefix.toLowerCase()] ?? '')] ?? otherPolicies
}
