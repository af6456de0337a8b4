import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { anExport } from '#test/exports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { ExportsPage } from './exports-page.tsx'

const serve = (items: unknown[] = [anExport()], count = items.length) =>
  serveApi({
    'GET /contact-service/v1/exports': ({ query }) => answer('count' in query ? { count } : items),
    'GET /contact-service/v1/exports/1/deliveries': answer([]),
    'GET /contact-service/v1/fields': answer([{ name: 'First', type: 'string', isIndexed: false }]),
  })

beforeEach(() => beSignedIn({ policies: ['contact-export-list', 'contact-export-create'] }))

test('the columns are shown in order, and five of them can be sorted', async () => {
  serve()
  renderApp(<ExportsPage />)
  await screen.findByText('Lapsed donors')
  const sortable = ['Name', 'Status', 'Processed Records', 'Start Date', 'Last Activity Date']
  for (const title of sortable) expect(screen.getByRole('button', { name: title })).toBeVisible()
  const heads = screen.getAllByRole('columnheader')
  expect(heads.map(({ textContent }) => textContent).filter(Boolean)).toEqual([
    'Details',
    'Name',
    'Creation Date',
    ...sortable.slice(1),
    'Actions',
  ])
  expect(screen.queryByRole('button', { name: 'Creation Date' })).toBeNull()
})

test('NEW EXPORT needs the right to create exports', async () => {
  beSignedIn({ policies: ['contact-export-list'] })
  serve()
  renderApp(<ExportsPage />)
  await screen.findByText('Lapsed donors')
  expect(screen.queryByRole('button', { name: 'NEW EXPORT' })).toBeNull()
})

test('without exports there are no buttons to refresh or schedule', async () => {
  serve([])
  renderApp(<ExportsPage />)
  expect(await screen.findByText('No exports are available.')).toBeVisible()
  for (const name of ['Manage Schedules', /REFRESH|in \d+ sec/])
    expect(screen.queryByRole('button', { name })).toBeNull()
})

test('REFRESH is locked for ten seconds after a load; pages have five rows, and a single page has no footer', async () => {
  const sent = serve([anExport()], 5)
  const first = renderApp(<ExportsPage />)
  await screen.findByText('Lapsed donors')
  expect(screen.getByRole('button', { name: /^in (10|9) sec$/ })).toBeDisabled()
  expect(screen.queryByLabelText('Records per page')).toBeNull()
  first.unmount()
  serve([anExport()], 6)
  renderApp(<ExportsPage />)
  const sizes = within(await screen.findByLabelText('Records per page'))
  expect(sizes.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['5', '10', '20', '50', '100'])
  expect(sent.find(({ query }) => 'limit' in query)?.query['limit']).toBe('5')
})

test('an opened row shows all details of an export, and how its file was delivered', async () => {
  serve([
    anExport({
      status: 'recovery',
      delimiter: 'pipe',
      recoveryCount: 2,
      recoveryError: 'The connection to the database was lost.',
      httpRequestStatus: 'recovery',
      httpRequestRecoveryCount: 3,
      httpRequestResult: '503 Service Unavailable',
      sftpStatus: 'completed',
      sftpRecoveryCount: 0,
      sftpResult: 'Sent.',
    }),
  ])
  const { user } = renderApp(<ExportsPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand Lapsed donors' }))
  const terms = screen.getAllByRole('term').map(({ textContent }) => textContent)
  const values = screen.getAllByRole('definition').map(({ textContent }) => textContent)
  expect(Object.fromEntries(terms.map((term, at) => [term, values[at]]))).toMatchObject({
    Id: '1',
    Delimiter: 'Pipe (.txt)',
    'DB Name': 'account_1',
    'Recovery Count': '2',
    'Recovery Error': 'The connection to the database was lost.',
    'HTTP Request Status': 'recovery',
    'HTTP Request Recovery Count': '3',
    'HTTP Request Result': '503 Service Unavailable',
    'SFTP Status': 'completed',
    'SFTP Recovery Count': '0',
    'SFTP Result': 'Sent.',
    'Filter Query': 'All contacts',
    Notifications: '–',
    'Fields (2)': 'FirstEmail',
  })
  expect(terms).not.toContain('E-mail Status')
})
