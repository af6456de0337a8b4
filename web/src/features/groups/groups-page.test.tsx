import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { aGroup, anIdentity, aPolicy } from '#test/access.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { GroupsPage } from './groups-page.tsx'

const path = '/identity/v1/groups'
type Answers = Parameters<typeof serveApi>[0]
const policies = [
  aPolicy(),
  aPolicy({ _id: 'p2', name: 'Dashboards' }),
  aPolicy({ _id: 'p3', name: 'Root reading', isAdmin: true }),
  aPolicy({ _id: 'p4', name: 'Local reading', ownerPaid: 1 }),
]
const portal = (groups = [aGroup()], more: Answers = {}): Answers => ({
  [`GET ${path}`]: answer(groups),
  'GET /identity/v1/policies': answer(policies),
  'GET /identity/v1/identities': answer([]),
  ...more,
})

beforeEach(() => beSignedIn({ isPowerAdmin: true }))

const dialog = openedDialog

test('the table shows name, policies, level and whether the group is for admins', async () => {
  const many = Array.from({ length: 5 }, (_, index) => ({ _id: `${index}`, name: `Policy ${index}`, isAdmin: true }))
  serveApi(portal([aGroup({ name: 'Root team', isAdmin: true, policies: many }), aGroup({ _id: 'g2', ownerPaid: 1 })]))
  const { user } = renderApp(<GroupsPage />, '/iam/groups')
  const row = (await screen.findByRole('rowheader', { name: 'Root team' })).closest('tr')
  expect(row).toHaveTextContent('Root teamPolicy 0, Policy 1, Policy 2 and 2 moreGlobalYes')
  expect(screen.getByRole('rowheader', { name: 'Analysts' }).closest('tr')).toHaveTextContent('AccountNo')
  await user.click(screen.getByRole('button', { name: 'Expand Root team' }))
  expect(within(screen.getByLabelText('Details of Root team')).getByText('Policy 4')).toBeVisible()
})

test('the search covers the names of groups and of their policies', async () => {
  serveApi(portal([aGroup(), aGroup({ _id: 'g2', name: 'Others', policies: [] })]))
  renderApp(<GroupsPage />, '/iam/groups?search=CS-IMP')
  expect(await screen.findByText('1 group found')).toBeVisible()
  expect(screen.getByRole('rowheader', { name: 'Analysts' })).toBeVisible()
})

test('a new group offers only policies of its kind, and requires one', async () => {
  const sent = serveApi(portal([aGroup()], { [`POST ${path}`]: answer(aGroup({ name: 'Root team' }), 201) }))
  const { user } = renderApp(<GroupsPage />, '/iam/groups')
  await user.click(await screen.findByRole('button', { name: 'NEW GROUP' }))
  const form = await dialog('New Group')
  expect(await within(form).findByText('0/2')).toBeVisible()
  const name = within(form).getByRole('textbox', { name: 'Name' })
  await user.type(name, 'ANALYSTS')
  expect(within(form).getByText('A group with this name exists already!')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Select all' }))
  expect(within(form).getByText('2/2')).toBeVisible()
  await user.click(within(form).getByRole('switch', { name: 'Is Admin' }))
  expect(within(form).getByText('0/1')).toBeVisible()
  await user.clear(name)
  await user.type(name, 'Root team')
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(within(form).getByText('Value is required!')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Select all' }))
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(await screen.findByText("'Root team' was created.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
    name: 'Root team',
    isAdmin: true,
    policies: ['p3'],
  })
})

test('editing locks what cannot change, and shows a refusal by the server', async () => {
  serveApi(portal([aGroup()], { [`PUT ${path}/g1`]: refusal(409, 'name_taken', 'Taken elsewhere.') }))
  const { user } = renderApp(<GroupsPage />, '/iam/groups')
  await user.click(await screen.findByRole('button', { name: 'Edit Analysts' }))
  const form = await dialog('Edit Group')
  expect(within(form).getByRole('switch', { name: 'Is Admin' })).toBeDisabled()
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  expect(await within(form).findByText('Taken elsewhere.')).toBeVisible()
})

test('groups of an account are managed by the operator, and the group everyone cannot be deleted', async () => {
  const local = aGroup({ name: 'Local team', ownerPaid: 1, canBeDeleted: false })
  serveApi(portal([local, aGroup({ _id: 'g2', name: 'everyone', canBeDeleted: false })]))
  const { user } = renderApp(<GroupsPage />, '/iam/groups')
  await user.click(await screen.findByRole('button', { name: 'Edit Local team' }))
  expect(await screen.findByText('Account groups are managed by the operator.')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Delete everyone' }))
  expect(await screen.findByText('Everyone belongs to this group.')).toBeInTheDocument()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByRole('button', { name: 'Edit everyone' })).not.toHaveAttribute('aria-disabled')
})

test('policies are added to selected groups with one call per group', async () => {
  const groups = [aGroup(), aGroup({ _id: 'g2', name: 'Loaders', policies: [] })]
  const sent = serveApi(
    portal(groups, { [`PUT ${path}/g1`]: answer(groups[0]), [`PUT ${path}/g2`]: refusal(404, 'not_found', 'Gone.') }),
  )
  const { user } = renderApp(<GroupsPage />, '/iam/groups')
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows shown' }))
  await user.click(screen.getByRole('button', { name: 'Add policies' }))
  const form = await dialog('Add policies to groups')
  await user.click(await within(form).findByRole('combobox', { name: /^Policies/ }))
  expect(within(form).getByText('0/2')).toBeVisible()
  await user.click(await screen.findByRole('option', { name: 'Dashboards', hidden: true }))
  await user.click(within(form).getByRole('button', { name: 'Add' }))
  const result = await dialog('Result')
  expect(result).toHaveTextContent('Following groups were updated:Analysts')
  expect(result).toHaveTextContent('Following groups could not be updated:LoadersGone.')
  expect(sent.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body)).toEqual([
    { name: 'Analysts', isAdmin: false, policies: ['p1', 'p2'], version: 1 },
    { name: 'Loaders', isAdmin: false, policies: ['p2'], version: 1 },
  ])
})

test('mixed admin and other groups get neither policies nor identities, and everyone gets no identities', async () => {
  serveApi(
    portal([
      aGroup(),
      aGroup({ _id: 'g2', name: 'Root team', isAdmin: true }),
      aGroup({ _id: 'g3', name: 'everyone' }),
    ]),
  )
  const { user } = renderApp(<GroupsPage />, '/iam/groups')
  await user.click(await screen.findByRole('checkbox', { name: 'Select Analysts' }))
  await user.click(screen.getByRole('button', { name: 'Add to identities' }))
  expect(
    await screen.findByText('Power admins manage global identities, which can only belong to admin groups.'),
  ).toBeInTheDocument()
  await user.click(screen.getByRole('checkbox', { name: 'Select Root team' }))
  await user.click(screen.getByRole('button', { name: 'Add policies' }))
  expect(await screen.findByText('Admin and other groups cannot get policies together.')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Add to identities' }))
  expect(await screen.findByText('Admin and other groups cannot be added to identities together.')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Clear selection' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select everyone' }))
  await user.click(screen.getByRole('button', { name: 'Add to identities' }))
  expect(await screen.findByText("Everyone belongs to 'everyone' already.")).toBeInTheDocument()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('power users see groups read-only, and add them to identities selected by email', async () => {
  beSignedIn({ isPowerUser: true })
  const identities = [
    anIdentity({ _id: 'i1', email: 'tom.lind@example.com' }),
    anIdentity({ _id: 'i2', email: 'eva.berg@example.com', groups: [], status: 'disabled' }),
    anIdentity({ _id: 'i3', email: 'root@example.com', aid: '*', canBeChanged: false }),
  ]
  const sent = serveApi(
    portal([aGroup()], {
      'GET /identity/v1/identities': answer(identities),
      'PUT /identity/v1/identities/i2': answer(identities[1]),
    }),
  )
  const { user } = renderApp(<GroupsPage />, '/iam/groups')
  await user.click(await screen.findByRole('checkbox', { name: 'Select Analysts' }))
  for (const name of ['NEW GROUP', 'Edit Analysts', 'Delete Analysts', 'Delete selected', 'Add policies']) {
    expect(screen.queryByRole('button', { name })).toBeNull()
  }
  await user.click(screen.getByRole('button', { name: 'Add to identities' }))
  const form = await dialog('Add groups to identities')
  expect(await within(form).findByText('0/2')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Select all' }))
  await user.click(within(form).getByRole('button', { name: 'Add' }))
  const result = await dialog('Result')
  expect(result).toHaveTextContent('tom.lind@example.comalready has all selected groups.')
  expect(screen.getByText('1 identity updated.')).toBeVisible()
  expect(sent.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body)).toMatchObject([
    { email: 'eva.berg@example.com', groups: ['g1'], isDisabled: true },
  ])
})
