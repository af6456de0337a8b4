import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { aChart, aDashboard, aDefinition, groupedByCity } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { DashboardsPage } from './dashboards-page.tsx'
import { SharedDashboardsPage } from './shared-dashboards-page.tsx'

const listCall = 'GET /contact-service/v1/dashboards'
const second = aDashboard({ _id: 'd2', name: 'Second' })
const portal = {
  [listCall]: answer([aDashboard(), second]),
  'GET /contact-service/v1/dashboards/d1': answer(aDashboard()),
  'GET /contact-service/v1/dashboards/d2': answer(second),
  'GET /contact-service/v1/fields': answer([]),
}
const view = 'contact-dashboards-view'
const [create, update, remove] = ['create', 'update', 'delete'].map((what) => `contact-dashboards-${what}`) as [
  string,
  string,
  string,
]
const reads = 'contact-offers-list'

beforeEach(() => localStorage.clear())

async function open(policies: string[], answers: Parameters<typeof serveApi>[0] = portal) {
  beSignedIn({ policies })
  const sent = serveApi(answers)
  const rendered = renderApp(<DashboardsPage />, '/contact-service/dashboards')
  await screen.findByRole('heading', { level: 1, name: 'Dashboards' })
  return { ...rendered, sent }
}

const controls = (): string[] =>
  ['New', 'Update', 'Clone', 'Delete'].filter((name) => screen.queryByRole('button', { name }) !== null)

describe('the dashboard controls', () => {
  test.each<[string[], string[]]>([
    [[view], []],
    [[view, reads, create], ['Clone']],
    [[view, reads, update], ['Update']],
    [
      [view, reads, create, update],
      ['New', 'Update', 'Clone'],
    ],
    [[view, remove], ['Delete']],
  ])('with the rights %j are %j', async (policies, names) => {
    await open(policies)
    expect(await screen.findByRole('button', { name: 'More about this dashboard' })).toBeVisible()
    expect(screen.getByRole('combobox', { name: 'Dashboard' })).toHaveValue('Membership')
    expect(controls()).toEqual(names)
    expect(screen.queryByRole('switch', { name: 'Edit' }) !== null).toBe(names.includes('New'))
  })

  test('have no picker without the right to view', async () => {
    await open([create, update, reads])
    expect(screen.queryByRole('combobox', { name: 'Dashboard' })).toBeNull()
  })

  test('that change a dashboard are only for its author', async () => {
    const others = aDashboard({ isAuthor: false })
    const one = { ...portal, 'GET /contact-service/v1/dashboards/d1': answer(others) }
    const { user } = await open([view, reads, update, remove], one)
    await user.click(await screen.findByRole('button', { name: 'Update' }))
    expect(await screen.findByText('Only its author may change this dashboard. Clone it instead.')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('Only its author may delete this dashboard.')).toBeVisible()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('do not delete the only dashboard', async () => {
    const { user } = await open([view, remove], { ...portal, [listCall]: answer([aDashboard()]) })
    await user.click(await screen.findByRole('button', { name: 'Delete' }))
    expect(await screen.findByText(/^This is the only dashboard\./)).toBeVisible()
  })

  test('have no Edit switch while no dashboard is loaded', async () => {
    await open([view, reads, create, update], { ...portal, [listCall]: answer([]) })
    expect(await screen.findByRole('button', { name: 'New dashboard' })).toBeVisible()
    expect(screen.queryByRole('switch', { name: 'Edit' })).toBeNull()
  })
})

test('choosing a dashboard in the picker loads it, and the picker finds it by a tag', async () => {
  const { user, address, sent } = await open([view])
  const picker = await screen.findByRole('combobox', { name: 'Dashboard' })
  await user.clear(picker)
  await user.type(picker, 'eve')
  const list = within(await screen.findByRole('listbox', { name: 'Dashboard', hidden: true }))
  await user.click(list.getByRole('option', { name: 'Second', hidden: true }))
  expect(address()).toBe('/contact-service/dashboards?dashboard=d2')
  expect(sent.at(-1)?.call).toBe('GET /contact-service/v1/dashboards/d2')
})

test('a list that cannot be loaded shows the error as JSON', async () => {
  await open([view], { [listCall]: refusal(500, 'unexpected', 'The database is away.') })
  const alert = await screen.findByRole('alert')
  expect(JSON.parse(alert.textContent)).toMatchObject({ code: 'unexpected', message: 'The database is away.' })
})

describe('a version saved elsewhere', () => {
  const cellCall = 'POST /contact-service/v1/dashboards/d1/cells/cities'
  const table = { id: 'cities', cols: 12, chart: aChart({ type: 'Table', filter: groupedByCity, options: {} }) }
  const definition = JSON.stringify(aDefinition(table))
  const versionOf = (version: number) => answer(aDashboard({ version, definition }))
  const found = { rows: [{ City: 'Denver', count: 2 }], total: 1, asOf: '2026-03-01T10:00:00.000Z', fields: [] }

  test('is loaded by an open dashboard with the next request for a cell', async () => {
    let opened = 0
    await open([view], {
      ...portal,
      'GET /contact-service/v1/dashboards/d1': () => versionOf(opened++ === 0 ? 3 : 4),
      [cellCall]: ({ body }) =>
        (body as { version: number }).version === 4 ? answer(found) : refusal(409, 'newer_version'),
    })
    expect(await screen.findByRole('row', { name: 'Denver 2' })).toBeVisible()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('does not replace unsaved changes, and is reported on saving', async () => {
    let latest = aDashboard({ definition })
    const { user, sent } = await open([view, reads, create, update], {
      ...portal,
      'GET /contact-service/v1/dashboards/d1': () => answer(latest),
      'PUT /contact-service/v1/dashboards/d1/favourite': () => answer(latest),
      'POST /contact-service/v1/dashboards/previews': answer(found),
      'PUT /contact-service/v1/dashboards/d1': ({ body }) => {
        latest = aDashboard({ version: 5, definition: (body as { definition: string }).definition })
        return answer(latest)
      },
    })
    await user.click(await screen.findByRole('switch', { name: 'Edit' }))
    await user.click(await screen.findByRole('button', { name: 'Copy Cities' }))
    latest = aDashboard({ version: 4, isFavourite: true })
    await user.click(screen.getByRole('button', { name: 'More about this dashboard' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Add to favourites' }))
    await expect.poll(() => sent.filter(({ call }) => call.endsWith('dashboards/d1'))).toHaveLength(2)
    expect(screen.getAllByRole('region', { name: 'Edit Cities' })).toHaveLength(2)

    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await user.click(await screen.findByRole('button', { name: 'Save' }))
    expect(await screen.findByText("'Membership' was successfully saved.")).toBeVisible()
    expect(sent.find(({ call }) => call === 'PUT /contact-service/v1/dashboards/d1')?.body).toMatchObject({
      version: 3,
    })
    expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull()
    expect(screen.getAllByRole('region', { name: 'Edit Cities' })).toHaveLength(2)
  })
})

test('an earlier version is previewed as unsaved changes, which Undo reverts', async () => {
  const earlier = JSON.stringify(
    aDefinition({
      id: 'old',
      cols: 12,
      chart: aChart({ type: 'DatePicker', title: 'Towns', datePickerType: 'day', defaultId: 'T' }),
    }),
  )
  const about = { savedBy: 'ada@example.com', changes: 'Created.', savedAt: '2026-03-01T10:00:00.000Z' }
  const versions = 'GET /contact-service/v1/dashboards/d1/versions'
  const { user } = await open([view, reads, create, update], {
    ...portal,
    [versions]: answer([
      { ...about, version: 3 },
      { ...about, version: 1 },
    ]),
    [`${versions}/1`]: answer({ ...about, version: 1, name: 'Membership', definition: earlier }),
  })
  await user.click(await screen.findByRole('button', { name: 'More about this dashboard' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Versions' }))
  await user.click(await screen.findByRole('button', { name: 'Preview version 1' }))
  expect(await screen.findByText('You are previewing version 1. Save to keep it, or undo to go back.')).toBeVisible()
  expect(await screen.findByRole('region', { name: 'Edit Towns' })).toBeVisible()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByRole('button', { name: 'Save changes' })).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByRole('region', { name: 'Edit Cities' })).toBeVisible()
})

test('turning off Edit with unsaved changes asks, then discards them', async () => {
  const question = 'Do you really want to leave? you have unsaved changes!'
  const { user } = await open([view, reads, create, update])
  const edit = await screen.findByRole('switch', { name: 'Edit' })
  await user.click(edit)
  await user.click(await screen.findByRole('button', { name: 'Copy Cities' }))
  await user.click(edit)
  expect(await screen.findByText(question)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Stay' }))
  expect(screen.getAllByRole('region', { name: 'Edit Cities' })).toHaveLength(2)
  await user.click(edit)
  await user.click(await screen.findByRole('button', { name: 'Leave' }))
  expect(await screen.findByRole('region', { name: 'Cities' })).toBeVisible()
  expect(edit).not.toBeChecked()
})

test('the read-only page has the picker and none of the controls', async () => {
  beSignedIn({ policies: [view, reads, create, update, remove] })
  serveApi(portal)
  renderApp(<SharedDashboardsPage />, '/dashboards')
  expect(await screen.findByRole('combobox', { name: 'Dashboard' })).toHaveValue('Membership')
  expect(controls()).toEqual([])
  expect(screen.queryByRole('switch', { name: 'Edit' })).toBeNull()
})
