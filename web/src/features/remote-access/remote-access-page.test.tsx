import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { accessFields, aRemoteAccess } from '#test/remote-accesses.ts'
import { pick } from '#test/pick.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { formatDate } from '#lib/formats.ts'
import { RemoteAccessPage } from './remote-access-page.tsx'

const list = 'GET /contact-service/v1/remoteAccess'
const eventFields = (names: string[] = [], offered: string[] = []): Parameters<typeof serveApi>[0] => ({
  'GET /contact-service/v1/fields/events': answer(names.map((name) => ({ name }))),
  'GET /contact-service/v1/fields/events/offered': answer(
    offered.map((name) => ({ name, firstSeenAt: '2026-11-01T10:00:00.000Z', lastSeenAt: '2026-11-02T10:00:00.000Z' })),
  ),
})
const portal = (accesses: unknown[], count = accesses.length): Parameters<typeof serveApi>[0] => ({
  [list]: ({ query }: Sent) => answer('count' in query ? { count } : accesses),
  'GET /contact-service/v1/fields': answer(accessFields),
  'GET /contact-service/v1/remoteAccess/sample': answer({ url: null }),
  ...eventFields(),
})

const rights = [
  'contact-access-list',
  'contact-access-create',
  'contact-access-update',
  'contact-access-delete',
  'contact-offers-list',
]
beforeEach(() => beSignedIn({ policies: rights }))

const cellsOf = async (name: string): Promise<(string | null)[]> => {
  const row = await screen.findByRole('row', { name: new RegExp(name) })
  return within(row)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent)
}

test('lists what callers send and receive', async () => {
  serveApi(
    portal([
      aRemoteAccess({ publicColumns: '"First Name" City Zip Phone Email' }),
      aRemoteAccess({
        _id: '2',
        type: 'ip',
        domainOrIp: '203.0.113.7',
        includeSubDomains: false,
        filter: '{"First Name":"{{First Name}}","_id":"{{_id}}"}',
      }),
    ]),
  )
  renderApp(<RemoteAccessPage />)
  expect(await screen.findByRole('heading', { name: 'Remote Accesses' })).toBeVisible()
  expect(await screen.findByText('2 remote accesses')).toBeVisible()
  const created = formatDate('2026-11-01T10:00:00.000Z')
  expect(await cellsOf('shop.example.com')).toEqual([
    '',
    'Domain',
    'active',
    'True',
    'Email',
    'First NameCityZip+2',
    created,
    '',
  ])
  expect(await cellsOf('203.0.113.7')).toEqual([
    '',
    'IP Address',
    'active',
    'False',
    'First Name & ID',
    'First NameCity',
    created,
    '',
  ])
})

test('links to the sample page if the demo has one', async () => {
  const url = 'http://localhost:8081/3/annasmith'
  serveApi({ ...portal([aRemoteAccess()]), 'GET /contact-service/v1/remoteAccess/sample': answer({ url }) })
  renderApp(<RemoteAccessPage />)
  expect(await screen.findByRole('link', { name: 'See it live' })).toHaveAttribute('href', url)
})

test('shows why an access is not served', async () => {
  serveApi(
    portal([
      aRemoteAccess({ isPaused: true, expiresAt: '2026-01-01T00:00:00.000Z' }),
      aRemoteAccess({ _id: '2', domainOrIp: 'new.example.com', index: { state: 'building', reason: null } }),
      aRemoteAccess({
        _id: '3',
        domainOrIp: 'old.example.com',
        index: { state: 'failed', reason: 'The column Email is gone.' },
      }),
      aRemoteAccess({
        _id: '4',
        domainOrIp: 'app.example.com',
        stopped: 'The API credential behind it no longer works.',
      }),
    ]),
  )
  renderApp(<RemoteAccessPage />)
  expect((await cellsOf('shop.example.com'))[2]).toBe('pausedexpired')
  expect((await cellsOf('new.example.com'))[2]).toBe('Index is being built')
  expect((await cellsOf('app.example.com'))[2]).toBe(
    'stoppedThe API credential behind it no longer works. Save it again to serve it.',
  )
  expect((await cellsOf('old.example.com'))[2]).toBe('failedThe index could not be built. The column Email is gone.')
})

test('pages, sorts and filters on the server, and keeps the state in the address', async () => {
  const sent = serveApi(portal([aRemoteAccess()], 30))
  const { user, address } = renderApp(<RemoteAccessPage />, '/contact-service/access?page=2')
  await user.click(await screen.findByRole('button', { name: 'Domain or IP Address' }))
  await user.type(
    screen.getByRole('textbox', { name: 'Search remote accesses by domain or IP address' }),
    'shop.{Enter}',
  )
  await user.click(screen.getByRole('button', { name: 'FILTERS' }))
  await pick(user, 'Type', 'Domain')
  await screen.findByText('30 remote accesses found')
  expect(address()).toBe('/contact-service/access?sort=domainOrIp&name=shop.&type=domain')
  expect(sent.map(({ query }) => query)).toContainEqual({
    find: String.raw`[{"$match":{"type":"domain","domainOrIp":{"$regex":"shop\\.","$options":"i"}}}]`,
    sort: '{"domainOrIp":1}',
    limit: '5',
    skip: '0',
  })
  await user.click(screen.getByRole('button', { name: 'Clear filters' }))
  expect(address()).toBe('/contact-service/access?sort=domainOrIp')
  expect(screen.queryByRole('button', { name: 'Public Columns' })).toBeNull()
})

test('REFRESH is locked for ten seconds after a load', async () => {
  serveApi(portal([aRemoteAccess()]))
  renderApp(<RemoteAccessPage />)
  await screen.findByText('shop.example.com')
  expect(screen.getByRole('button', { name: /^in (10|9) sec$/ })).toBeDisabled()
})

test('an empty list explains what a remote access is, and offers to create one', async () => {
  serveApi(portal([]))
  const { user } = renderApp(<RemoteAccessPage />)
  expect(await screen.findByText('No remote accesses are available.')).toBeVisible()
  expect(screen.getByText(/lets the pages of a domain, or programs at an IP address, read columns/)).toBeVisible()
  const [, inPlace] = screen.getAllByRole('button', { name: 'NEW ACCESS' })
  expect(inPlace).toBeVisible()
  await user.click(inPlace as HTMLElement)
  expect(await screen.findByRole('dialog', { name: 'Create a New Access' })).toBeVisible()
})

test('a list that failed to load shows the reason and can be reloaded', async () => {
  let isDown = true
  const accesses = portal([aRemoteAccess()])[list] as (sent: Sent) => ReturnType<typeof answer>
  serveApi({
    ...eventFields(),
    [list]: (sent) => (isDown ? refusal(503, 'timed_out', 'This took too long.') : accesses(sent)),
  })
  const { user } = renderApp(<RemoteAccessPage />)
  expect(await screen.findByText('This took too long.')).toBeVisible()
  isDown = false
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('shop.example.com')).toBeVisible()
})

test('without the rights to change accesses they are only listed', async () => {
  beSignedIn({ policies: ['contact-access-list'] })
  const sent = serveApi(portal([aRemoteAccess()]))
  renderApp(<RemoteAccessPage />)
  await screen.findByText('shop.example.com')
  expect(screen.queryByRole('button', { name: 'NEW ACCESS' })).toBeNull()
  expect(screen.queryByRole('columnheader', { name: 'Actions' })).toBeNull()
  expect(screen.queryByRole('button', { name: /^(Edit|Delete)/ })).toBeNull()
  expect(sent.some(({ call }) => call.endsWith('/fields'))).toBe(false)
})

test('each right shows its own button', async () => {
  beSignedIn({ policies: ['contact-access-list', 'contact-access-delete'] })
  serveApi(portal([aRemoteAccess()]))
  renderApp(<RemoteAccessPage />)
  expect(await screen.findByRole('button', { name: 'Delete shop.example.com' })).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Edit shop.example.com' })).toBeNull()
})

test('without the right to see contacts, creating and editing are disabled with the reason', async () => {
  beSignedIn({ policies: rights.filter((right) => right !== 'contact-offers-list') })
  const sent = serveApi(portal([aRemoteAccess()]))
  const { user } = renderApp(<RemoteAccessPage />)
  await user.click(await screen.findByRole('button', { name: 'NEW ACCESS' }))
  expect(await screen.findByText(/needs the feature contact-offers-list/)).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Edit shop.example.com' })).toHaveAttribute('aria-disabled', 'true')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(sent.some(({ call }) => call.endsWith('/fields'))).toBe(false)
})

test('deleting requires the domain, in any letter case', async () => {
  const sent = serveApi({
    ...portal([aRemoteAccess()]),
    'DELETE /contact-service/v1/remoteAccess/1': answer(null, 204),
  })
  const { user } = renderApp(<RemoteAccessPage />)
  await user.click(await screen.findByRole('button', { name: 'Delete shop.example.com' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Access' }))
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'shop.example.co{Enter}')
  expect(dialog.getByRole('button', { name: 'Delete' })).toBeDisabled()
  expect(sent.some(({ call }) => call.startsWith('DELETE'))).toBe(false)
  await user.clear(dialog.getByRole('textbox', { name: 'Domain' }))
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'Shop.Example.COM')
  await user.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('The new remote access for the domain was deleted.')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('an access that could not be deleted stays, and the dialog shows the reason', async () => {
  serveApi({
    ...portal([aRemoteAccess({ type: 'ip', domainOrIp: '::1' })]),
    'DELETE /contact-service/v1/remoteAccess/1': refusal(404, 'not_found', 'This remote access is gone.'),
  })
  const { user } = renderApp(<RemoteAccessPage />)
  await user.click(await screen.findByRole('button', { name: 'Delete ::1' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Access' }))
  await user.type(dialog.getByRole('textbox', { name: 'IP Address' }), '::1{Enter}')
  expect(await dialog.findByText('This remote access is gone.')).toBeVisible()
})

test('names sent by pages become event fields when added, and disappear when dismissed', async () => {
  let [names, offered] = [['size'], ['voucher', 'junk']]
  serveApi({
    ...portal([aRemoteAccess()]),
    'GET /contact-service/v1/fields/events': () => answer(names.map((name) => ({ name }))),
    'GET /contact-service/v1/fields/events/offered': () =>
      answer(
        offered.map((name) => ({
          name,
          firstSeenAt: '2026-11-01T10:00:00.000Z',
          lastSeenAt: '2026-11-02T10:00:00.000Z',
        })),
      ),
    'POST /contact-service/v1/fields/events': ({ body }: Sent) => {
      const { name } = body as { name: string }
      names = [...names, name]
      offered = offered.filter((each) => each !== name)
      return answer({ name }, 201)
    },
    'DELETE /contact-service/v1/fields/events/junk': () => {
      offered = offered.filter((each) => each !== 'junk')
      return answer({})
    },
    'DELETE /contact-service/v1/fields/events/size': () =>
      refusal(409, 'in_use', 'Events have values of "size", so it cannot be removed.'),
  })
  const { user } = renderApp(<RemoteAccessPage />)
  const panel = within(await screen.findByRole('region', { name: 'Event fields' }))
  await user.click(await panel.findByRole('button', { name: 'Add voucher' }))
  await waitFor(() => expect(panel.getByRole('list', { name: 'Event fields' })).toHaveTextContent(/size.*voucher/))
  await user.click(panel.getByRole('button', { name: 'Dismiss junk' }))
  await waitFor(() => expect(panel.queryByRole('list', { name: 'Offered by pages' })).toBeNull())
  await user.type(panel.getByLabelText('New event field'), ' price ')
  await user.click(panel.getByRole('button', { name: 'Add' }))
  expect(await panel.findByRole('button', { name: 'Remove price' })).toBeVisible()
  await user.click(panel.getByRole('button', { name: 'Remove size' }))
  expect(await screen.findByText('Events have values of "size", so it cannot be removed.')).toBeVisible()
})
