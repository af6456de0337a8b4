import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { box, buildFilter, button, choose, list, offeredBy, tab } from '#test/filter-builder.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { emptyFilter, type Filter } from '../stages/filter.ts'

const fields = [
  { name: 'City', type: 'string', isIndexed: true },
  { name: 'Age', type: 'number', isIndexed: true },
] as const

const byCity: Filter['groupBy'] = {
  id: { field: 'City', part: null },
  id2: null,
  isOfEvents: false,
  events: [],
  measures: [{ operator: 'count', field: null }],
  sortBy: 0,
  sort: -1,
  limit: 50,
}

beforeEach(() => {
  beSignedIn({ policies: ['contact-offers-list'] })
  serveApi({ 'GET /contact-service/v1/offers': answer({ count: 7 }) })
})

async function open(groupBy = byCity) {
  const built = buildFilter({ fields, value: { ...emptyFilter, groupBy } })
  await built.user.click(tab('Groupby'))
  return built
}

test('groups have several values, each with a name of its own', async () => {
  const { user, applied } = await open()
  await user.type(box('Group by: name'), 'Town')
  await user.type(box('Name of the value'), 'People')
  await user.click(button('Add value'))
  // Distinct lists groups without a value, so that it cannot be one of several.
  expect(await offeredBy(user, 'Operator of value 2')).toEqual([
    'sum',
    'max',
    'min',
    'avg',
    'count',
    'different values',
  ])
  await user.click(screen.getByRole('option', { name: 'avg' }))
  await choose(user, 'Column of value 2', 'Age')
  expect(box('Name of value 2')).toHaveAttribute('placeholder', 'avg of Age')
  await user.type(box('Name of value 2'), 'people')
  expect(screen.getByText('Value is duplicate!')).toBeVisible()
  await user.clear(box('Name of value 2'))
  await choose(user, 'Sort by', 'Value: avg of Age')
  await user.click(button('Apply'))
  expect(applied.at(-1)?.groupBy).toEqual({
    ...byCity,
    id: { field: 'City', part: null, name: 'Town' },
    measures: [
      { operator: 'count', field: null, name: 'People' },
      { operator: 'avg', field: 'Age' },
    ],
    sortBy: 1,
  })
  // Without the value that they are sorted by, groups are sorted by their keys.
  await user.click(button('Remove value 2'))
  expect(list('Sort by')).toHaveValue('ID')
})

test('a value is computed of those that meet its conditions, and divided by another one', async () => {
  const { user, applied } = await open()
  await user.click(button('Add condition to the value'))
  await choose(user, 'Field of condition 1 of the value', 'Age')
  await choose(user, 'Operator of condition 1 of the value', '>=')
  await user.type(box('Value of condition 1 of the value'), '18')
  await user.click(button('Divide by another value: the value'))
  await user.click(button('Apply'))
  expect(screen.getAllByText('Value is required!')).toHaveLength(1)
  await choose(user, 'Operator of the divisor', 'count')
  expect(box('Name of the value')).toHaveAttribute('placeholder', 'count where Age >= 18 / count')
  await user.click(button('Apply'))
  const adults = {
    operator: 'count',
    field: null,
    conditions: [{ field: 'Age', type: 'number', operator: '>=', value: '18' }],
  }
  expect(applied.at(-1)?.groupBy).toEqual({
    ...byCity,
    measures: [{ ...adults, divisor: { operator: 'count', field: null } }],
  })
  await user.click(button('Remove the divisor'))
  await user.click(button('Remove condition 1 of the value'))
  await user.click(button('Apply'))
  expect(applied.at(-1)?.groupBy).toEqual(byCity)
})

test('events are counted, and conditions choose among them', async () => {
  const { user, applied } = await open()
  await choose(user, 'Count', 'Events')
  await user.click(button('Add event condition'))
  await choose(user, 'Field of event condition 1', 'event_path')
  await choose(user, 'Operator of event condition 1', 'has a value')
  expect(screen.queryByRole('textbox', { name: 'Value of event condition 1' })).toBeNull()
  await user.click(button('Apply'))
  const path = { field: 'event_path', type: 'string', operator: 'filled', value: '', isCustom: false }
  expect(applied.at(-1)?.groupBy).toEqual({ ...byCity, isOfEvents: true, events: [path] })
  await user.click(button('Remove event condition 1'))
  await choose(user, 'Count', 'Contacts')
  await user.click(button('Apply'))
  expect(applied.at(-1)?.groupBy).toEqual(byCity)
})

test("the account's own fields of events can be grouped by and computed", async () => {
  serveApi({
    'GET /contact-service/v1/offers': answer({ count: 7 }),
    'GET /contact-service/v1/fields/events': answer([{ name: 'Campaign' }, { name: 'Price' }]),
  })
  const { user, applied } = await open()
  await choose(user, 'Group by', 'events.Campaign')
  await choose(user, 'Operator', 'sum')
  // Their values have types of their own, unlike those of the fields of all events.
  expect(await offeredBy(user, 'Column')).toEqual(['Age', 'purlNumber', 'events.Campaign', 'events.Price'])
  await user.click(screen.getByRole('option', { name: 'events.Price' }))
  await user.click(button('Apply'))
  expect(applied.at(-1)?.groupBy).toMatchObject({
    isOfEvents: true,
    id: { field: 'events.Campaign', part: null },
    measures: [{ operator: 'sum', field: 'events.Price' }],
  })
})

test('groups by a field of events are always of events', async () => {
  const { user, applied } = await open()
  await choose(user, 'Group by', 'events.event_code')
  expect(list('Count')).toHaveValue('Events')
  await user.click(button('Apply'))
  expect(applied.at(-1)?.groupBy).toMatchObject({ isOfEvents: true, id: { field: 'events.event_code', part: null } })
})
