import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { box, buildFilter, button, choose, list, offeredBy, tab } from '#test/filter-builder.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { emptyFilter, type Filter } from '../stages/filter.ts'
import type { FilterBuilderProps } from '../props.ts'

const fields = [
  { name: 'City', type: 'string', isIndexed: true },
  { name: 'Age', type: 'number', isIndexed: true },
  { name: 'Joined', type: 'date', isIndexed: true },
  { name: 'Born', type: 'day', isIndexed: true },
] as const

const offers = 'GET /contact-service/v1/offers'
const counts = { [offers]: answer({ count: 1234 }) }

beforeEach(() => beSignedIn({ policies: ['contact-offers-list'] }))

function build(name: string, props: Partial<FilterBuilderProps> = {}) {
  const built = buildFilter({ fields, ...props })
  return { ...built, open: (): Promise<void> => built.user.click(tab(name)) }
}

async function agree(user: UserEvent): Promise<void> {
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('Are you sure?')).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Yes' }))
}

test('an event is matched by its fields and by custom fields with unique names', async () => {
  serveApi({
    [offers]: (one) =>
      'aggregate' in one.query
        ? answer([{ value: 'email-open' }, { value: 'page-view' }, { value: null }])
        : answer({ count: 7 }),
  })
  const { user, applied, open } = build('Behavioral')
  await open()
  await user.click(button('Add event'))
  expect(list('Field of condition 1 of event 1')).toHaveFocus()
  await choose(user, 'Field of condition 1 of event 1', 'event_code')
  // Known values are offered, and others may be typed.
  await user.click(screen.getByRole('combobox', { name: 'Value of condition 1 of event 1' }))
  await user.click(await screen.findByRole('option', { name: 'page-view' }))
  expect(await offeredBy(user, 'Operator of condition 1 of event 1')).toEqual([
    '=',
    'contains',
    'starts',
    'ends',
    'in',
    'regex',
    'has a value',
  ])
  await user.keyboard('{Escape}')

  const custom = 'Custom field of condition 2 of event 1'
  await user.click(button('Add custom field'))
  expect(box(custom)).toHaveFocus()
  await user.type(box(custom), 'Browser')
  expect(screen.getByText('Value is duplicate!')).toBeVisible()
  await user.clear(box(custom))
  await user.type(box(custom), 'amount')
  await user.click(button('Add custom field'))
  await user.type(box('Custom field of condition 3 of event 1'), 'AMOUNT')
  expect(screen.getAllByText('Value is duplicate!')).toHaveLength(2)
  await user.click(button('Remove condition 3 of event 1'))
  await agree(user)
  await choose(user, 'Type of condition 2 of event 1', 'Number')
  await choose(user, 'Operator of condition 2 of event 1', '>=')
  await user.type(box('Value of condition 2 of event 1'), '40')
  expect(
    screen.getByText('Contacts with an event whose event_code is “page-view” and amount is at least 40.'),
  ).toBeVisible()
  await waitFor(() => expect(screen.getAllByText('7 contacts')).toHaveLength(2))
  await user.click(button('Apply'))
  expect(applied.at(-1)?.behavioral).toEqual([
    {
      conditions: [
        { field: 'event_code', type: 'string', operator: '=', value: 'page-view', isCustom: false },
        { field: 'amount', type: 'number', operator: '>=', value: '40', isCustom: true },
      ],
    },
  ])
  await user.click(button('Remove condition 2 of event 1'))
  await agree(user)
  await user.click(button('Remove condition 1 of event 1'))
  await agree(user)
  // Removing the last condition removes its event, after one question.
  expect(screen.queryByRole('button', { name: 'Remove event 1' })).toBeNull()
  await waitFor(() => expect(button('Add event')).toHaveFocus())
})

test('coordinates are required once there is a distance, and must be valid', async () => {
  serveApi(counts)
  const { user, applied, open } = build('By Location')
  await open()
  expect(screen.queryByRole('textbox', { name: 'Latitude' })).toBeNull()
  await user.type(box('Distance in miles'), '25')
  await user.click(button('Apply'))
  expect(screen.getAllByText('Value is required!')).toHaveLength(2)
  await user.type(box('Latitude'), '-90.5')
  expect(screen.getByText('Value should be between -90 and 90!')).toBeVisible()
  await user.type(box('Longitude'), '181')
  expect(screen.getByText('Value should be between -180 and 180!')).toBeVisible()
  await user.clear(box('Latitude'))
  await user.type(box('Latitude'), '39.7')
  await user.clear(box('Longitude'))
  await user.type(box('Longitude'), '-104.9')
  await user.type(box('Distance in miles'), 'x')
  expect(screen.getByText('Value is invalid!')).toBeVisible()
  await user.type(box('Distance in miles'), '{Backspace}')
  await user.click(button('Apply'))
  expect(applied.at(-1)?.location).toEqual({ distance: 25, latitude: 39.7, longitude: -104.9 })
  // Without a distance the place has no effect.
  await user.clear(box('Distance in miles'))
  await user.type(box('Distance in miles'), ' {Enter}')
  expect(applied.at(-1)?.location).toBeNull()
})

test('an address is looked up; a missing or unknown address is reported', async () => {
  const state = { isFound: false }
  const sent = serveApi({
    ...counts,
    'GET /contact-service/v1/geocode': () =>
      state.isFound
        ? answer({
            latitude: 39.74,
            longitude: -104.99,
            label: 'Denver, CO 80202',
            precision: 'zip',
            source: 'gazetteer',
          })
        : refusal(422, 'geocoding_failed', 'No results could be found!'),
  })
  const { user, open } = build('By Location')
  await open()
  await user.type(box('Distance in miles'), '5')
  await user.click(button('Find an address'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Address' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(dialog.getAllByText('Value is required!')).toHaveLength(2)
  await user.type(dialog.getByRole('textbox', { name: 'Address 1' }), '1 Main St')
  await user.type(dialog.getByRole('textbox', { name: 'City' }), 'Denver')
  await user.type(dialog.getByRole('textbox', { name: 'Zip/Postal Code' }), '80202')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await dialog.findByRole('alert')).toHaveTextContent('No results could be found!')
  state.isFound = true
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(box('Latitude')).toHaveValue('39.74'))
  expect(box('Longitude')).toHaveValue('-104.99')
  expect(screen.getByText('Found: Denver, CO 80202 (the middle of its postal code).')).toBeVisible()
  expect(sent.findLast(({ call }) => call.endsWith('/geocode'))?.query).toEqual({
    address1: '1 Main St',
    city: 'Denver',
    zip: '80202',
  })
})

test('a field of days offers periods first, then every part of a date except the hour', async () => {
  serveApi(counts)
  const { user, open } = build('Groupby')
  await open()
  await choose(user, 'Group by', 'Born')
  expect(await offeredBy(user, 'Group by: part of the date')).toEqual([
    'Day',
    'Week',
    'Month',
    'Quarter',
    'Year',
    'Month of the year (all years together)',
    'Day of the month (all months together)',
    'Day of the week (all weeks together)',
    'Year as a number',
  ])
})

test('contacts are grouped by one or two fields, and dates by month by default', async () => {
  serveApi(counts)
  const { user, applied, open } = build('Groupby')
  await open()
  await choose(user, 'Group by', 'Joined')
  expect(list('Group by: part of the date')).toHaveValue('Month')
  expect(list('Sort by')).toHaveValue('ID')
  expect(list('Limit')).toHaveValue('50')
  await user.click(button('Apply'))
  expect(screen.getByText('Value is required!')).toBeVisible()
  await choose(user, 'Operator', 'avg')
  // Only fields that can be used in calculations.
  expect(await offeredBy(user, 'Column')).toEqual(['Age', 'purlNumber'])
  await user.click(screen.getByRole('option', { name: 'Age' }))
  // The same date again, by another part of it, which then cannot be chosen for the first level.
  await choose(user, 'Group by 2', 'Joined')
  expect(list('Group by 2: part of the date')).toHaveValue('Year')
  await choose(user, 'Group by: part of the date', 'Year')
  expect(list('Group by 2')).toHaveValue('')
  await choose(user, 'Group by 2', 'City')
  await choose(user, 'Sort by', 'Value')
  await choose(user, 'Sort', 'Descending')
  await choose(user, 'Limit', '300')
  await user.click(button('Apply'))
  expect(applied).toEqual([
    {
      ...emptyFilter,
      groupBy: {
        id: { field: 'Joined', part: 'by year' },
        id2: { field: 'City', part: null },
        isOfEvents: false,
        events: [],
        measures: [{ operator: 'avg', field: 'Age' }],
        sortBy: 0,
        sort: -1,
        limit: 300,
      },
    },
  ])
  // The first level is now the field of the second, which is reset.
  await choose(user, 'Group by', 'City')
  expect(list('Group by 2')).toHaveValue('')
  // `distinct` has no computed value to sort by.
  await choose(user, 'Operator', 'distinct')
  expect(list('Sort by')).toHaveValue('ID')
  expect(screen.queryByRole('combobox', { name: 'Column' })).toBeNull()
})

test('a caller can require two levels or allow only one', async () => {
  serveApi(counts)
  const groupBy = { id: { field: 'City', part: null }, id2: null, isOfEvents: false, events: [] }
  const value: Filter = {
    ...emptyFilter,
    groupBy: { ...groupBy, measures: [{ operator: 'count', field: null }], sortBy: 'id', sort: 1, limit: 50 },
  }
  const first = build('Groupby', { value, needsSecondLevel: true })
  expect(screen.getByText('This filter is not complete yet: see Groupby.')).toBeVisible()
  await first.user.click(button('Apply'))
  expect(screen.getByText('Value is required!')).toBeVisible()
  expect(first.applied).toEqual([])
  first.unmount()
  build('Groupby', { value, hasSecondLevel: false })
  expect(screen.queryByRole('combobox', { name: 'Group by 2' })).toBeNull()
})

test('columns are selected, ordered and sorted by', async () => {
  serveApi(counts)
  const { user, applied, open } = build('Columns', { value: { ...emptyFilter, columns: ['City', 'Age', 'purl'] } })
  await open()
  await user.click(button('Move purl up'))
  await choose(user, 'Sort by', 'Joined')
  await choose(user, 'Sort order', 'Descending')
  await user.click(button('Apply'))
  expect(applied).toEqual([{ ...emptyFilter, columns: ['City', 'purl', 'Age'], sort: { field: 'Joined', order: -1 } }])
})

test('a full-text search covers all texts; input without a word is refused', async () => {
  serveApi(counts)
  const { user, applied, open } = build('Full Text')
  await open()
  await user.type(box('Words'), '?!')
  expect(screen.getByText('Value is invalid!')).toBeVisible()
  await user.clear(box('Words'))
  await user.type(box('Words'), 'a '.repeat(21))
  expect(screen.getByText('At most 20 words can be searched for.')).toBeVisible()
  await user.clear(box('Words'))
  await user.type(box('Words'), ' anna zürich {Enter}')
  expect(applied).toEqual([{ ...emptyFilter, fullText: 'anna zürich' }])
})

test('fields that the portal indexes itself can be filtered by', async () => {
  serveApi(counts)
  const { user } = build('Standard', {
    value: { ...emptyFilter, standard: [{ field: 'purlNumber', type: 'number', operator: '>', value: '1' }] },
  })
  const internal = ['_id', 'purl', 'basePurl', 'purlNumber', 'Import']
  expect(await offeredBy(user, 'Field of condition 1')).toEqual(['City', 'Age', 'Joined', 'Born', ...internal])
  expect(screen.queryByText(/has no index/)).toBeNull()
})
