import { expect, test } from 'vitest'
import { groupPermissions, policyList } from './impersonation-rules.ts'

test('the list of selected policies distinguishes a name with a comma from two names', () => {
  const held = ['Read, write', 'Read', 'write', '50% off', 'contact-offers-list']
  const listed = (permissions: string[]) => policyList({ permissions, held })
  expect(listed(['Read, write', '50% off'])).toBe('Read%2C write,50%25 off,no-workflows,no-blueprints')
  expect(listed(['Read', 'write'])).toBe('Read,write,no-workflows,no-blueprints')
  expect(listed(held)).toBeNull()
})

test('permissions are grouped by the service of their feature or prefix', () => {
  const held = ['sc-nightly', 'Power', 'contact-offers-list', 'cs-imports', 'contact-dashboards-view']
  expect(groupPermissions(held)).toEqual([
    { service: 'Dashboards & Reports', names: ['contact-dashboards-view'] },
    { service: 'List Service', names: ['contact-offers-list', 'cs-imports'] },
    { service: 'Scheduler', names: ['sc-nightly'] },
    { service: 'Policies', names: ['Power'] },
  ])
})
