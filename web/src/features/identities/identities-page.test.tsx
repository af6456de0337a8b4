import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { anIdentity } from '#test/access.ts'
import { aCredential, identitiesPath, portalWithIdentities } from '#test/identities.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { IdentitiesPage } from './identities-page.tsx'

const email = 'tom.lind@example.com'

beforeEach(() => beSignedIn({ isPowerUser: true }))

const dialog = openedDialog

test('the table and the opened row show all details of an identity', async () => {
  serveApi(
    portalWithIdentities([
      anIdentity({
        accessToAllSubAccounts: true,
        hasApiAccess: true,
        apiCredentials: [aCredential(1), aCredential(2)],
        days: ['mon', 'tue'],
        daysEffect: 'in',
        hours: [22, 23],
        hoursEffect: 'nin',
        cidr: '10.0.0.0/8',
      }),
      anIdentity({ _id: 'i2', email: 'root@example.com', aid: '*', groups: [], canBeChanged: false }),
    ]),
  )
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  const row = (await screen.findByRole('rowheader', { name: email })).closest('tr')
  expect(row).toHaveTextContent(`${email}1AnalystsYesYesactive`)
  expect(screen.getByRole('rowheader', { name: 'root@example.com' }).closest('tr')).toHaveTextContent('* (global)')
  await user.click(screen.getByRole('button', { name: `Expand ${email}` }))
  const details = screen.getByLabelText(`Details of ${email}`)
  const expected = ['i1', 'Tom Lind', 'Only Mon, Tue', 'Not 22:00–24:00', '10.0.0.0/8', '2', 'Policies of Analysts']
  for (const text of [...expected, 'cs-imports']) expect(within(details).getByText(text)).toBeVisible()
})

test('a new identity is validated while typing, requires effects for days and hours, and offers eligible groups only', async () => {
  const sent = serveApi(
    portalWithIdentities([anIdentity()], {
      [`POST ${identitiesPath}`]: answer(anIdentity({ email: 'eva@example.com', status: 'invited' }), 201),
    }),
  )
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: 'NEW IDENTITY' }))
  const form = await dialog('New Identity')
  expect(await within(form).findByText('0/2')).toBeVisible()
  const field = within(form).getByRole('textbox', { name: 'Email' })
  await user.type(field, 'TOM.lind@example.com')
  expect(within(form).getByText('An identity with this e-mail exists already!')).toBeVisible()
  await user.clear(field)
  await user.type(field, 'eva@')
  expect(within(form).getByText('Value is invalid!')).toBeVisible()
  await user.type(field, 'example.com')
  await user.type(within(form).getByRole('textbox', { name: /^CIDR/ }), '10.0.0.0/8')
  expect(within(form).getByText(/2001:db8::/)).toBeVisible()

  expect(within(form).queryByRole('combobox', { name: 'Days Effect' })).toBeNull()
  await user.click(within(form).getByRole('checkbox', { name: 'Monday' }))
  await user.click(within(form).getByRole('checkbox', { name: '9:00 to 10:00' }))
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(within(form).getAllByText('Value is required!')).toHaveLength(3)
  await user.click(within(form).getByRole('combobox', { name: 'Days Effect' }))
  await user.click(await screen.findByRole('option', { name: 'No access on these days', hidden: true }))
  await user.click(within(form).getByRole('checkbox', { name: '9:00 to 10:00' }))
  expect(within(form).queryByRole('combobox', { name: 'Hours Effect' })).toBeNull()
  await user.click(within(form).getByRole('button', { name: 'Select all' }))
  await user.click(within(form).getByRole('checkbox', { name: 'Access to All Subaccounts' }))
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(await screen.findByText("'eva@example.com' was created. An invitation was sent.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
    email: 'eva@example.com',
    userName: '',
    groups: ['g1', 'g2'],
    accessToAllSubAccounts: true,
    days: ['mon'],
    daysEffect: 'nin',
    hours: [],
    hoursEffect: null,
    cidr: '10.0.0.0/8',
    rowRule: null,
    isDisabled: false,
  })
})

test('a new service identity has a name in place of a person', async () => {
  const service = anIdentity({ kind: 'service', email: 'service:Nightly sync', serviceName: 'Nightly sync' })
  const sent = serveApi(
    portalWithIdentities([anIdentity(), { ...service, _id: 'i2' }], {
      [`POST ${identitiesPath}`]: answer({ ...service, serviceName: 'Backup' }, 201),
    }),
  )
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  expect(await screen.findByRole('rowheader', { name: 'Nightly sync service' })).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'NEW IDENTITY' }))
  const form = await dialog('New Identity')
  await user.click(within(form).getByRole('radio', { name: 'Service' }))
  expect(within(form).queryByRole('textbox', { name: 'Email' })).toBeNull()
  const field = within(form).getByRole('textbox', { name: /^Name/ })
  await user.type(field, 'nightly SYNC')
  expect(within(form).getByText('A service identity with this name exists already!')).toBeVisible()
  await user.clear(field)
  await user.type(field, 'Backup')
  await user.click(within(form).getByRole('button', { name: 'Select all' }))
  await user.click(within(form).getByRole('button', { name: 'Create' }))
  expect(await screen.findByText("'Backup' was created.")).toBeVisible()
  const body = sent.find(({ call }) => call.startsWith('POST'))?.body
  expect(body).toMatchObject({ serviceName: 'Backup', groups: ['g1', 'g2'] })
  expect(body).not.toHaveProperty('email')
})

test('a sub-account offers no access to sub-accounts; power admins are offered admin groups', async () => {
  beSignedIn({ isPowerAdmin: true, parent: 7 })
  serveApi(portalWithIdentities())
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: 'NEW IDENTITY' }))
  const form = await dialog('New Identity')
  expect(await within(form).findByText('0/1')).toBeVisible()
  expect(within(form).getByText(/^This person will enter every account\./)).toBeVisible()
  expect(within(form).queryByRole('checkbox', { name: 'Access to All Subaccounts' })).toBeNull()
})

test('a refusal by the server is shown at its field', async () => {
  const problems = [{ field: 'groups.0', message: 'Value is not allowed!' }]
  serveApi(
    portalWithIdentities([anIdentity()], {
      [`PUT ${identitiesPath}/i1`]: refusal(400, 'invalid_input', 'No.', problems),
    }),
  )
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: `Edit ${email}` }))
  const form = await dialog('Edit Identity')
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  expect(await within(form).findByText('Value is not allowed!')).toBeVisible()
})

test('an identity is disabled and enabled, invited again and deleted', async () => {
  const now = { identity: anIdentity({ status: 'invited' }) }
  const sent = serveApi({
    ...portalWithIdentities(),
    [`GET ${identitiesPath}`]: () => answer([now.identity]),
    [`POST ${identitiesPath}/i1/invitation`]: answer(null, 204),
    [`PUT ${identitiesPath}/i1`]: ({ body }) => {
      now.identity = anIdentity({ status: (body as { isDisabled: boolean }).isDisabled ? 'disabled' : 'active' })
      return answer(now.identity)
    },
    [`DELETE ${identitiesPath}/i1`]: answer(null, 204),
  })
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  const choose = async (entry: string): Promise<void> => {
    await user.click(await screen.findByRole('button', { name: `More actions for ${email}` }))
    await user.click(await screen.findByRole('menuitem', { name: entry }))
  }
  await choose('Invite again')
  expect(await screen.findByText(`'${email}' was invited again.`)).toBeVisible()
  await choose('Disable')
  expect(await screen.findByText(`'${email}' was disabled.`)).toBeVisible()
  await screen.findByText('disabled')
  await choose('Enable')
  expect(await screen.findByText(`'${email}' was enabled.`)).toBeVisible()
  await screen.findByText('active')
  await choose('Delete')
  const question = await dialog('Delete identity')
  await user.click(within(question).getByRole('button', { name: 'Yes, delete' }))
  expect(await screen.findByText('1 identity deleted.')).toBeVisible()
  expect(sent.filter(({ call }) => !call.startsWith('GET')).map(({ call }) => call)).toEqual([
    `POST ${identitiesPath}/i1/invitation`,
    `PUT ${identitiesPath}/i1`,
    `PUT ${identitiesPath}/i1`,
    `DELETE ${identitiesPath}/i1`,
  ])
})

test('groups are added to selected identities; everyone and admin groups are not offered', async () => {
  const sent = serveApi(portalWithIdentities([anIdentity()], { [`PUT ${identitiesPath}/i1`]: answer(anIdentity()) }))
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('checkbox', { name: `Select ${email}` }))
  await user.click(screen.getByRole('button', { name: 'Add groups' }))
  const form = await dialog('Add groups to identities')
  expect(await within(form).findByText('0/2')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Select all' }))
  await user.click(within(form).getByRole('button', { name: 'Add' }))
  expect(await screen.findByText('1 identity updated.')).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('PUT'))?.body).toMatchObject({ email, groups: ['g1', 'g2'] })
})

test('identities of the other kind are read-only and show why', async () => {
  beSignedIn({ isPowerAdmin: true })
  serveApi(portalWithIdentities([anIdentity({ canBeChanged: false })]))
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  const buttons = ['Edit', 'API credentials of'].map((act) => `${act} ${email}`)
  await screen.findByRole('button', { name: `Edit ${email}` })
  // Power admins can sign out any identity.
  await user.click(screen.getByRole('button', { name: `More actions for ${email}` }))
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
    'Sign out everywhere',
  ])
  await user.keyboard('{Escape}')
  for (const name of buttons) expect(screen.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
  await user.click(screen.getByRole('button', { name: `Edit ${email}` }))
  expect(await screen.findByText('Power admins manage global identities only.')).toBeInTheDocument()
  await user.click(screen.getByRole('checkbox', { name: `Select ${email}` }))
  expect(screen.getByRole('button', { name: 'Delete selected' })).toHaveAttribute('aria-disabled', 'true')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('Why? shows what decides whether an identity may perform an action', async () => {
  const sent = serveApi(
    portalWithIdentities([anIdentity()], {
      'GET /identity/v1/explain': answer({
        email,
        account: 1,
        action: 'contact-service::imports::post',
        features: ['contact-imports-create'],
        isAllowed: false,
        reason: 'No policy allows it.',
        at: '2026-01-31T10:00:00.000Z',
        address: '10.0.0.7',
        identities: [
          {
            aid: 1,
            counts: true,
            limits: [{ limit: 'days', rule: 'Monday to Friday', isMet: true }],
            policies: [
              {
                policy: 'cs-imports',
                groups: ['Analysts'],
                outcome: 'condition',
                action: 'contact-service::imports::*',
                conditionLogic: 'and',
                conditions: [{ condition: 'query::dry::eq::1', isMet: false, failed: '0' }],
              },
            ],
          },
        ],
      }),
    }),
  )
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: `Expand ${email}` }))
  await user.click(screen.getByRole('button', { name: 'Why?' }))
  expect(screen.getAllByText('Value is required!')).toHaveLength(3)
  for (const [label, option] of [
    ['Microservice', 'contact-service'],
    ['Resource', 'imports'],
    ['Method', 'post'],
  ] as const) {
    await user.click(screen.getByRole('combobox', { name: label }))
    await user.click(await screen.findByRole('option', { name: option, hidden: true }))
  }
  await user.type(screen.getByRole('textbox', { name: 'From address' }), '10.0.0.7')
  await user.click(screen.getByRole('button', { name: 'Why?' }))
  expect(await screen.findByText('Denied')).toBeVisible()
  expect(screen.getByText('No policy allows it.')).toBeVisible()
  const items = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(items).toContain('Holds: Days: Monday to Friday')
  expect(items).toContain('Not met: query::dry::eq::1 (“dry” in the query is “1”) – not met by "0"')
  expect(screen.getByText(/Policy 'cs-imports' \(from Analysts\) its conditions are not met/)).toBeVisible()
  expect(sent.find(({ call }) => call.endsWith('/explain'))?.query).toEqual({
    email,
    action: 'contact-service::imports::post',
    address: '10.0.0.7',
  })
})

test('the contacts an identity may see are put into words, set with the filter builder, and removed', async () => {
  beSignedIn({ isPowerUser: true, policies: ['contact-deletes-list'] })
  const rowRule = [{ $match: { $and: [{ City: 'Bern' }] } }]
  const sent = serveApi(
    portalWithIdentities([anIdentity({ rowRule })], {
      'GET /contact-service/v1/fields': answer([{ name: 'City', type: 'string', isIndexed: true }]),
      [`PUT ${identitiesPath}/i1`]: answer(anIdentity()),
    }),
  )
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: `Expand ${email}` }))
  const details = screen.getByLabelText(`Details of ${email}`)
  expect(await within(details).findByText(/City .*Bern/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: `Edit ${email}` }))
  const form = await screen.findByRole('dialog', { name: 'Edit Identity' })
  expect(await within(form).findByText(/City .*Bern/)).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Choose contacts' }))
  const builder = await screen.findByRole('dialog', { name: 'Contacts this identity may see' })
  expect(within(builder).queryByRole('tab', { name: /Full Text|Predefined|Groupby/ })).not.toBeInTheDocument()
  await user.click(within(builder).getByRole('button', { name: 'Close' }))
  await user.click(within(form).getByRole('button', { name: 'All contacts' }))
  expect(within(form).getByText('All contacts', { selector: 'div' })).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  await expect.poll(() => sent.find(({ call }) => call.startsWith('PUT'))?.body).toMatchObject({ rowRule: null })
})
