import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { aGroup, aPolicy } from '#test/access.ts'
import { pick } from '#test/pick.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { changeSettings } from '#lib/settings.ts'
import { PoliciesPage } from './policies-page.tsx'

const path = '/identity/v1/policies'
type Answers = Parameters<typeof serveApi>[0]
const portal = (policies = [aPolicy()], more: Answers = {}): Answers => ({
  [`GET ${path}`]: answer(policies),
  'GET /identity/v1/groups': answer([aGroup()]),
  'GET /identity/v1/identities': answer([]),
  ...more,
})

beforeEach(() => {
  beSignedIn({ isPowerAdmin: true })
  changeSettings({ rowsPerPage: 10, singleExpand: true })
})

const dialog = openedDialog

test('a row opens ID, actions, conditions and level; the prefix of the name shows the service', async () => {
  serveApi(
    portal([
      aPolicy({ _id: 'id-1', conditions: ['query::limit::eq::100'] }),
      aPolicy({ _id: 'id-2', name: 'Own reports', ownerPaid: 1 }),
    ]),
  )
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  expect(await screen.findByRole('rowheader', { name: 'cs-imports Contact Service' })).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Expand cs-imports' }))
  const details = screen.getByLabelText('Details of cs-imports')
  const shown = ['id-1', 'Global', 'View imports', 'contact-service::imports::get', 'query::limit::eq::100']
  for (const text of [...shown, 'Only if “limit” in the query is “100”.']) {
    expect(within(details).getByText(text)).toBeVisible()
  }
  await user.click(screen.getByRole('button', { name: 'Expand Own reports' }))
  expect(within(screen.getByLabelText('Details of Own reports')).getByText('Account')).toBeVisible()
  expect(screen.queryByLabelText('Details of cs-imports')).toBeNull()
})

test('the settings define the number of rows and whether several can be open', async () => {
  changeSettings({ rowsPerPage: 5, singleExpand: false })
  serveApi(portal(Array.from({ length: 6 }, (_, index) => aPolicy({ _id: `${index}`, name: `Policy ${index}` }))))
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  expect(await screen.findByText('1–5 of 6')).toBeVisible()
  expect(
    within(screen.getByLabelText('Records per page'))
      .getAllByRole('option')
      .map((one) => one.textContent),
  ).toEqual(['5', '10', '15', '50', '100', 'All'])
  await user.click(screen.getByRole('button', { name: 'Expand Policy 0' }))
  await user.click(screen.getByRole('button', { name: 'Expand Policy 1' }))
  expect(screen.getAllByRole('button', { name: /^Collapse/ })).toHaveLength(2)
})

test('the footer is hidden when everything fits on a page', async () => {
  serveApi(portal(Array.from({ length: 10 }, (_, index) => aPolicy({ _id: `${index}`, name: `Policy ${index}` }))))
  renderApp(<PoliciesPage />, '/iam/policies')
  expect(await screen.findByText('Policy 9')).toBeVisible()
  expect(screen.queryByLabelText('Records per page')).toBeNull()
})

test('the address fills the search box, and the search fills the address', async () => {
  serveApi(portal([aPolicy(), aPolicy({ _id: 'p2', name: 'Dashboards' })]))
  const { user, address } = renderApp(<PoliciesPage />, '/iam/policies?search=dash')
  expect(await screen.findByText('1 policy found')).toBeVisible()
  const box = screen.getByRole('textbox', { name: 'Search policies' })
  expect(box).toHaveValue('dash')
  await user.clear(box)
  await user.type(box, 'cs-{Enter}')
  expect(await screen.findByRole('rowheader', { name: /cs-imports/ })).toBeVisible()
  expect(screen.queryByText('Dashboards')).toBeNull()
  expect(address()).toBe('/iam/policies?search=cs-')
})

test('a new policy: validation while typing, actions with positions, conditions with keys', async () => {
  const sent = serveApi(portal([aPolicy()], { [`POST ${path}`]: answer(aPolicy({ name: 'Import viewers' }), 201) }))
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'NEW POLICY' }))
  const form = await dialog('New Policy')
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(within(form).getByText('Please add one action.')).toBeVisible()
  const name = within(form).getByRole('textbox', { name: 'Name' })
  await user.type(name, 'CS-imports')
  expect(within(form).getByText('A policy with this name exists already!')).toBeVisible()
  await user.clear(name)
  await user.type(name, 'Import viewers')
  expect(within(form).getByText('14 / 50')).toBeVisible()

  const addAction = async (): Promise<void> => {
    await pick(user, 'Microservice', 'contact-service')
    await pick(user, 'Resource', 'imports')
    await pick(user, 'Method', 'get')
    await user.click(within(form).getByRole('button', { name: 'Add action' }))
  }
  await user.click(within(form).getByRole('button', { name: 'Add action' }))
  expect(within(form).getAllByText('Value is required!')).toHaveLength(3)
  await addAction()
  expect(within(form).getByText('contact-service::imports::get')).toBeVisible()
  expect(within(form).getByRole('button', { name: 'Delete action 1' })).toHaveAttribute('aria-disabled', 'true')
  await addAction()
  expect(within(form).getByText('This action is at position 1 already!')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(within(form).getByText('Finish or clear this entry first.')).toBeVisible()
  await pick(user, 'Method', '*')
  await user.click(within(form).getByRole('button', { name: 'Add action' }))

  for (const value of ['7', '8']) {
    expect(within(form).queryByRole('switch', { name: 'Joint logic' })).toBeNull()
    await pick(user, 'Option', 'param')
    await pick(user, 'Operator', 'eq')
    await user.type(within(form).getByRole('textbox', { name: 'Value' }), value)
    await user.click(within(form).getByRole('button', { name: 'Add condition' }))
  }
  await user.click(within(form).getByRole('switch', { name: 'Joint logic' }))
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(await screen.findByText("'Import viewers' was created.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
    name: 'Import viewers',
    isAdmin: false,
    actions: ['contact-service::imports::get', 'contact-service::imports::*'],
    conditions: ['param::0::eq::7', 'param::1::eq::8'],
    conditionLogic: 'or',
  })
})

test('deleting an action or condition asks first, and renumbers the path parameters from 0', async () => {
  const conditions = ['param::3::eq::a', 'param::5::eq::b']
  const policy = aPolicy({ actions: ['bi::reports::get', 'bi::dashboards::get'], conditions })
  const sent = serveApi(portal([policy], { [`PUT ${path}/p1`]: answer(policy) }))
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'Edit cs-imports' }))
  const form = await dialog('Edit Policy')
  expect(within(form).getByRole('switch', { name: 'Is Admin' })).toBeDisabled()
  await user.click(within(form).getByRole('button', { name: 'Delete action 1' }))
  const question = await dialog('Delete action')
  expect(question).toHaveTextContent('Are you sure?')
  await user.click(within(question).getByRole('button', { name: 'No' }))
  expect(await screen.findByText('Action cancelled.')).toBeVisible()
  expect(within(form).getByText('bi::reports::get')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Delete condition 1' }))
  await user.click(within(await dialog('Delete condition')).getByRole('button', { name: 'Yes, delete it' }))
  expect(within(form).getByText('param::0::eq::b')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  expect(await screen.findByText("'cs-imports' was updated.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('PUT'))?.body).toMatchObject({
    conditions: ['param::0::eq::b'],
    version: 1,
  })
})

test('a refusal by the server is shown at its field, or at the bottom', async () => {
  let reply = refusal(409, 'name_taken', 'A policy with this name exists already!')
  serveApi(portal([aPolicy()], { [`PUT ${path}/p1`]: () => reply }))
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'Edit cs-imports' }))
  const form = await dialog('Edit Policy')
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  expect(await within(form).findByText('A policy with this name exists already!')).toBeVisible()
  expect(within(form).getByRole('textbox', { name: 'Name' })).toBeInvalid()
  reply = refusal(400, 'invalid_input', 'No.', [{ field: 'actions.0', message: 'Value is invalid!' }])
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  expect(await within(form).findByText('Value is invalid!')).toBeVisible()
  reply = refusal(404, 'not_found', 'It is gone.')
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  expect(await within(form).findByText('It is gone.')).toBeVisible()
})

test('unsaved input asks before it is discarded, also on Escape; a new dialog starts empty', async () => {
  serveApi(portal())
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'NEW POLICY' }))
  await user.type(within(await dialog('New Policy')).getByRole('textbox', { name: 'Name' }), 'Something')
  await user.keyboard('{Escape}')
  const question = await dialog('Unsaved changes')
  expect(question).toHaveTextContent('Do you really want to leave? you have unsaved changes!')
  await user.click(within(question).getByRole('button', { name: 'Stay' }))
  expect(within(await dialog('New Policy')).getByRole('textbox', { name: 'Name' })).toHaveValue('Something')
  await user.click(within(await dialog('New Policy')).getByRole('button', { name: 'Cancel' }))
  await user.click(within(await dialog('Unsaved changes')).getByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(screen.getByRole('button', { name: 'NEW POLICY' }))
  expect(within(await dialog('New Policy')).getByRole('textbox', { name: 'Name' })).toHaveValue('')
})

test('only a single policy can be duplicated, as the start of a new one', async () => {
  const policies = [aPolicy({ conditions: ['query::a::eq::1'] }), aPolicy({ _id: 'p2', name: 'Dashboards' })]
  serveApi(portal(policies))
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('checkbox', { name: 'Select cs-imports' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select Dashboards' }))
  expect(screen.getByText('2 selected')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Duplicate' })).toBeNull()
  await user.click(screen.getByRole('checkbox', { name: 'Select Dashboards' }))
  await user.click(screen.getByRole('button', { name: 'Duplicate' }))
  const form = await dialog('New Policy')
  expect(within(form).getByRole('textbox', { name: 'Name' })).toHaveValue('cs-imports')
  expect(within(form).getByText('contact-service::imports::get')).toBeVisible()
  expect(within(form).getByText('query::a::eq::1')).toBeVisible()
  expect(within(form).getByRole('switch', { name: 'Is Admin' })).toBeEnabled()
})

test('deleting several policies asks once, and reports which could not be deleted and why', async () => {
  const policies = ['First policy', 'Second policy'].map((name, index) => aPolicy({ _id: `p${index}`, name }))
  const sent = serveApi(
    portal(policies, {
      [`DELETE ${path}/p0`]: answer(null, 204),
      [`DELETE ${path}/p1`]: refusal(409, 'in_use', 'A group holds this policy.'),
    }),
  )
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows shown' }))
  await user.click(screen.getByRole('button', { name: 'Delete selected' }))
  const question = await dialog('Delete 2 policies')
  expect(question).toHaveTextContent('Are you sure?')
  await user.click(within(question).getByRole('button', { name: 'Yes, delete' }))
  const result = await dialog('Result')
  expect(result).toHaveTextContent('Following policies were deleted:First policy')
  expect(result).toHaveTextContent('Following policies could not be deleted:Second policyA group holds this policy.')
  expect(screen.getByText('1 policy deleted.')).toBeVisible()
  expect(sent.filter(({ call }) => call.startsWith('DELETE'))).toHaveLength(2)
})

test('a policy in use cannot be deleted, and shows why', async () => {
  serveApi(portal([aPolicy({ canBeDeleted: false, groups: ['Analysts'] })]))
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  const button = await screen.findByRole('button', { name: 'Delete cs-imports' })
  expect(button).toHaveAttribute('aria-disabled', 'true')
  await user.click(button)
  expect(await screen.findByText('Used by Analysts.')).toBeInTheDocument()
  expect(screen.queryByRole('dialog')).toBeNull()
  await user.click(screen.getByRole('checkbox', { name: 'Select cs-imports' }))
  expect(screen.getByRole('button', { name: 'Delete selected' })).toHaveAttribute('aria-disabled', 'true')
})

test('policies are added to groups; groups that already have all of them are skipped and reported', async () => {
  const groups = [
    aGroup({ _id: 'g1', name: 'Analysts' }),
    aGroup({ _id: 'g2', name: 'Loaders', policies: [{ _id: 'p9', name: 'Else', isAdmin: false }] }),
    aGroup({ _id: 'g3', name: 'everyone' }),
    aGroup({ _id: 'g4', name: 'Root', isAdmin: true }),
    aGroup({ _id: 'g5', name: 'Local', ownerPaid: 1 }),
  ]
  const sent = serveApi(
    portal([aPolicy()], {
      'GET /identity/v1/groups': answer(groups),
      'PUT /identity/v1/groups/g2': answer(groups[1]),
    }),
  )
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('checkbox', { name: 'Select cs-imports' }))
  await user.click(screen.getByRole('button', { name: 'Add to groups' }))
  const form = await dialog('Add policies to groups')
  await user.click(within(form).getByRole('button', { name: 'Add' }))
  expect(within(form).getByText('Value is required!')).toBeVisible()
  expect(await within(form).findByText('0/2')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Select all' }))
  await user.click(within(form).getByRole('button', { name: 'Add' }))
  const result = await dialog('Result')
  expect(result).toHaveTextContent('Following groups were updated:Loaders')
  expect(result).toHaveTextContent('Analystsalready has all selected policies.')
  expect(screen.getByText('1 group updated.')).toBeVisible()
  expect(sent.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body)).toEqual([
    { name: 'Loaders', isAdmin: false, policies: ['p9', 'p1'], version: 1 },
  ])
})

test('admin policies and others are not added to groups together', async () => {
  serveApi(portal([aPolicy(), aPolicy({ _id: 'p2', name: 'Root reading', isAdmin: true })]))
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows shown' }))
  const button = screen.getByRole('button', { name: 'Add to groups' })
  await user.click(button)
  expect(await screen.findByText('Admin and other policies cannot be added to groups together.')).toBeInTheDocument()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('power users see policies read-only', async () => {
  beSignedIn({ isPowerUser: true })
  serveApi(portal())
  renderApp(<PoliciesPage />, '/iam/policies')
  expect(await screen.findByText('1 policy. Only power admins can create and edit policies.')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Expand cs-imports' })).toBeVisible()
  expect(screen.queryByRole('checkbox')).toBeNull()
  for (const name of ['NEW POLICY', 'Edit cs-imports', 'Delete cs-imports']) {
    expect(screen.queryByRole('button', { name })).toBeNull()
  }
})

test('the screen is stored as the last page viewed, unless the settings turn that off', async () => {
  serveApi(portal())
  changeSettings({ keepLastPageViewed: false, lastPageViewed: '/iam/groups' })
  const first = renderApp(<PoliciesPage />, '/iam/policies')
  expect(await screen.findByRole('heading', { name: 'Policies' })).toBeVisible()
  expect(localStorage.getItem('portico.settings')).toContain('"lastPageViewed":"/iam/groups"')
  first.unmount()
  changeSettings({ keepLastPageViewed: true })
  renderApp(<PoliciesPage />, '/iam/policies')
  await waitFor(() => expect(localStorage.getItem('portico.settings')).toContain('"lastPageViewed":"/iam/policies"'))
})
