import type { AccountId } from '@portico/contract/accounts'
import { grant, identityOf } from '#test/resources/access.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'

/** The rights of a maker. */
export const rights = {
  schedules: ['scheduler::*::*'],
  exports: ['contact-service::exports::*'],
  dashboards: ['bi::dashboards::*'],
  contacts: ['contact-service::offers::get'],
}
type Right = keyof typeof rights

/** A member with a policy for each of their rights, and the cron and the dashboard that they have saved. */
export type Maker = {
  member: Member
  identity: string
  policies: Record<Right, string>
  cron: string
  dashboard: string
  query: (text: string, ...values: unknown[]) => Promise<unknown>
}

export async function makeMaker(portal: TestPortal, account: AccountId): Promise<Maker> {
  const member = await portal.member(account, 'nothing::at::all')
  const identity = await identityOf(portal, member)
  const given = await Promise.all(
    Object.entries(rights).map(
      async ([right, actions]) => [right, await grant(portal, identity, { actions })] as const,
    ),
  )
  // One for each right.
  const policies = Object.fromEntries(given) as Maker['policies']
  const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
  return { member, identity, policies, cron: '', dashboard: '', query }
}

/** How a maker loses the right to their saved items. */
export type Loss = { name: string; lose: (maker: Maker) => Promise<unknown> }

export const right = (of: Right): Loss => ({
  name: `they lose the right to ${of}`,
  lose: ({ policies, query }) => query('DELETE FROM portico.group_policies WHERE policy_id = $1', policies[of]),
})
export const condition = (of: Right, name: string, text: (maker: Maker) => string): Loss => ({
  name: `a condition comes on ${name}`,
  lose: (maker) =>
    maker.query('UPDATE portico.policies SET conditions = $2 WHERE id = $1', maker.policies[of], [text(maker)]),
})
const disabled: Loss = {
  name: 'their identity is disabled',
  lose: ({ identity, query }) => query('UPDATE portico.identities SET is_disabled = true WHERE id = $1', identity),
}

export const lossesOfExports = [
  right('exports'),
  condition('exports', 'columns', () => 'body::exportFields::nct::Name'),
  disabled,
]
export const lossesOfCrons = [
  right('schedules'),
  condition('schedules', 'recipients', () => 'body::notificationEmails::ew::@corp.example'),
  condition('schedules', 'the instruction', () => 'body::instruction.name::nct::Daily'),
  condition('schedules', 'the cron', ({ cron }) => `param::0::neq::${cron}`),
]
export const lossesOfReports = [
  ...lossesOfCrons.filter(({ name }) => !name.includes('the instruction')),
  condition('schedules', 'attached files', () => 'body::instruction.notification.attachFiles::eq::false'),
  condition('schedules', 'the server', () => 'body::ftpHost::ew::.corp.example'),
  right('dashboards'),
  condition('dashboards', 'the dashboard', ({ dashboard }) => `param::0::neq::${dashboard}`),
  condition('dashboards', 'the cell', () => 'param::1::neq::cell0'),
  right('contacts'),
  condition('contacts', 'searches', () => 'query::find::nct::City'),
  disabled,
]
