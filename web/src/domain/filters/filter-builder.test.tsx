import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { box, buildFilter, button, choose, list, offeredBy, tab } from '#test/filter-builder.tsx'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import type { FilterTab } from './draft.ts'
import { emptyFilter, type Filter } from './stages/filter.ts'
import { stagesOf } from './stages/stages-of.ts'
import { FilterBuilder } from './filter-builder.tsx'
import type { FilterBuilderProps } from './props.ts'

const fields = [
  { name: 'City', type: 'string', isIndexed: true },
  { name: 'Age', type: 'number', isIndexed: true },
  { name: 'Member', type: 'boolean', isIndexed: true },
  { name: 'Joined', type: 'date', isIndexed: true },
  { name: 'Note', type: 'string', isIndexed: false },
] as const

const tabs: FilterTab[] = ['fulltext']
const offers = 'GET /contact-service/v1/offers'
const counts = { [offers]: answer({ count: 1234 }) }
const city = { field: 'City', type: 'string', operator: '=', value: 'Paris' } as const

beforeEach(() => beSignedIn({ isPowerAdmin: true, policies: ['contact-offers-list'] }))

const build = (props: Partial<FilterBuilderProps> = {}) => buildFilter({ fields, ...props })

/** Confirms the question before an action. */
async function agree(user: UserEvent, question: string): Promise<void> {
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(question)).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Yes' }))
}

const counted = (sent: Sent[]): unknown[] =>
  sent.filter(({ query }) => 'count' in query).map(({ query }) => JSON.parse(query['find'] ?? '[]') as unknown)

test('a condition is built, counted, put into words and applied; nothing is applied before Apply', async () => {
  const sent = serveApi(counts)
  const { user, applied } = build()
  expect(button('Apply')).toBeDisabled()
  expect(screen.getByText('All contacts.')).toBeVisible()
  await user.click(button('Add condition'))
  expect(list('Field of condition 1')).toHaveFocus()
  expect(screen.getByText('Not applied')).toBeVisible()
  await choose(user, 'Field of condition 1', 'City')
  await user.type(box('Value of condition 1'), 'Paris')
  expect(screen.getByText('Contacts whose City is “Paris”.')).toBeVisible()
  // The row's own count and the filter's.
  await waitFor(() => expect(screen.getAllByText('1,234 contacts')).toHaveLength(2))
  expect(counted(sent)).toContainEqual([{ $match: { City: 'Paris' } }])
  // No request was sent between the letters.
  expect(JSON.stringify(counted(sent))).not.toContain('"Par"')
  await user.click(button('Apply'))
  expect(applied).toEqual([{ ...emptyFilter, standard: [city] }])
  expect(screen.queryByText('Not applied')).toBeNull()
  expect(button('Apply')).toBeDisabled()
})

test('a superseded count is aborted, and a failed count shows nothing next to its row', async () => {
  const aborted: string[] = []
  vi.stubGlobal('fetch', (address: string, { signal }: RequestInit) => {
    const find = new URL(address, 'http://portal').searchParams.get('find') ?? ''
    if (!find.includes('Paris')) {
      return Promise.resolve(
        new Response(JSON.stringify({ error: { code: 'timed_out', message: 'Too slow.' } }), { status: 422 }),
      )
    }
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        aborted.push(find)
        reject(new DOMException('Aborted', 'AbortError'))
      })
    })
  })
  const { user } = build({ value: { ...emptyFilter, standard: [city] } })
  expect(await screen.findAllByLabelText('Counting contacts')).toHaveLength(2)
  await user.type(box('Value of condition 1'), '{Backspace}')
  expect(aborted).toHaveLength(2)
  // Only in the footer.
  expect(await screen.findByText('Too slow.')).toBeVisible()
})

test('operators depend on the type, and the caller limits the number of conditions', async () => {
  serveApi(counts)
  const { user } = build({ maxConditions: 1 })
  await user.click(button('Add condition'))
  expect(button('Add condition')).toBeDisabled()
  const presence = ['has a value', 'has no value']
  const operators: Record<string, string[]> = {
    City: ['=', '!=', 'contains', 'starts', 'ends', 'in', 'nin', 'regex', ...presence],
    Age: ['=', '!=', '<', '<=', '>', '>=', 'in', 'nin', ...presence],
    Joined: ['=', '!=', '<', '<=', '>', '>=', ...presence],
    Member: ['=', '!=', ...presence],
    _id: ['=', '!=', 'in', 'nin'],
  }
  for (const [field, expected] of Object.entries(operators)) {
    await choose(user, 'Field of condition 1', field)
    expect(await offeredBy(user, 'Operator of condition 1')).toEqual(expected)
    await user.keyboard('{Escape}')
  }
})

test('a pasted column becomes a list of values, and a number keeps its thousands separators', async () => {
  serveApi(counts)
  const list = { field: 'City', type: 'string', operator: 'in', value: '' } as const
  const number = { field: 'Age', type: 'number', operator: '>', value: '' } as const
  const { user, applied } = build({ value: { ...emptyFilter, standard: [list, number] } })
  await user.click(box('Value of condition 1'))
  await user.paste('Paris\r\nRome\r\nOslo\r\n')
  expect(box('Value of condition 1')).toHaveValue('Paris, Rome, Oslo')
  await user.type(box('Value of condition 2'), '1,250.75')
  expect(box('Value of condition 2')).toHaveValue('1,250.75')
  expect(screen.getByText(/City is “Paris”, “Rome” or “Oslo” and Age is more than 1250.75/)).toBeVisible()
  await user.click(button('Apply'))
  expect(writePipeline(stagesOf(applied.at(-1) ?? emptyFilter))).toEqual([
    { $match: { $and: [{ City: { $in: ['Paris', 'Rome', 'Oslo'] } }, { Age: { $gt: 1250.75 } }] } },
  ])
})

test('values are validated while typing, but missing ones only on Apply', async () => {
  serveApi(counts)
  const value = { field: 'Age', type: 'number', operator: 'in', value: '' } as const
  const { user, applied } = build({
    value: { ...emptyFilter, standard: [value, { field: 'Joined', type: 'date', operator: '>', value: '' }] },
  })
  // Missing values are not reported before Apply.
  expect(screen.queryByText('Value is required!')).toBeNull()
  await user.click(button('Apply'))
  expect(screen.getAllByText('Value is required!')).toHaveLength(2)
  await waitFor(() => expect(box('Value of condition 1')).toHaveFocus())
  expect(tab(/^Standard.*has errors/)).toBeVisible()
  await user.type(box('Value of condition 1'), '1, x')
  expect(screen.getByText('Value is invalid!')).toBeVisible()
  await user.type(box('Value of condition 1'), '{Backspace}2')
  expect(screen.queryByText('Value is invalid!')).toBeNull()

  const day = box('Value of condition 2')
  expect(day).toHaveAttribute('placeholder', 'mm/dd/yyyy')
  await user.type(day, '02/30/2026')
  expect(screen.getByText('Value is invalid!')).toBeVisible()
  await user.clear(day)
  await user.type(day, '1/31/2026')
  await user.tab()
  expect(day).toHaveValue('01/31/2026')
  await user.click(day)
  await user.keyboard('{Enter}')
  expect(applied.at(-1)?.standard).toEqual([
    { ...value, value: '1, 2' },
    { field: 'Joined', type: 'date', operator: '>', value: '2026-01-31' },
  ])
})

test('the calendar offers no day after today', async () => {
  serveApi(counts)
  vi.useFakeTimers({ now: new Date('2026-03-05T12:00:00'), toFake: ['Date'] })
  build({
    value: { ...emptyFilter, standard: [{ field: 'Joined', type: 'date', operator: '=', value: '2026-01-31' }] },
  })
  const calendar = document.querySelector('input[type="date"]')
  expect(calendar).toHaveAttribute('max', '2026-03-05')
  expect(calendar).toHaveValue('2026-01-31')
  expect(button('Choose the value of condition 1')).toBeVisible()
  vi.useRealTimers()
})

test('a row without a field shows an error that the list of fields does not cover', async () => {
  serveApi(counts)
  const { user } = build({ value: { ...emptyFilter, standard: [{ ...city, field: '' }] } })
  const field = screen.getByRole('combobox', { name: 'Field of condition 1' })
  await user.click(button('Apply'))
  await waitFor(() => expect(field).toHaveFocus())
  expect(field).toHaveAccessibleDescription('Value is required!')
  expect(field).toHaveAttribute('aria-expanded', 'false')
  await user.click(field)
  expect(field).toHaveAttribute('aria-expanded', 'true')
})

test('an empty text value can be compared with = and !=, to find contacts without or with a value', async () => {
  serveApi(counts)
  const { user, applied } = build({ value: { ...emptyFilter, standard: [{ ...city, operator: 'contains' }] } })
  await user.clear(box('Value of condition 1'))
  await user.click(button('Apply'))
  expect(screen.getByText('Value is required!')).toBeVisible()
  await choose(user, 'Operator of condition 1', '!=')
  expect(screen.getByText('Contacts whose City has a value.')).toBeVisible()
  await user.click(button('Apply'))
  expect(applied.at(-1)?.standard).toEqual([{ ...city, operator: '!=', value: '' }])
})

test('removing a condition and resetting ask for confirmation', async () => {
  serveApi(counts)
  const { user, applied } = build({
    value: { ...emptyFilter, standard: [city], fullText: 'anna', columns: ['City'] },
  })
  await user.click(button('Remove condition 1'))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'No' }))
  expect(list('Field of condition 1')).toHaveValue('City')
  await user.click(button('Remove condition 1'))
  await agree(user, 'Are you sure?')
  expect(screen.queryByRole('combobox', { name: 'Field of condition 1' })).toBeNull()
  await waitFor(() => expect(button('Add condition')).toHaveFocus())
  await user.click(button('Reset'))
  await agree(user, 'Are you sure to remove all filters?')
  expect(screen.getByText('All contacts.')).toBeVisible()
  await user.click(button('Apply'))
  expect(applied).toEqual([emptyFilter])
})

test('Cancel appears only if the caller handles it', async () => {
  serveApi(counts)
  const first = build()
  expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull()
  first.unmount()
  let cancelled = 0
  const { user, applied } = build({ onCancel: () => void (cancelled += 1) })
  await user.click(button('Cancel'))
  expect(cancelled).toBe(1)
  expect(applied).toEqual([])
})

test('an outside change of the order is adopted without losing the filter being built', async () => {
  serveApi(counts)
  const applied: Filter[] = []
  const later = {
    sort: { ...emptyFilter, sort: { field: 'Age', order: -1 } },
    search: { ...emptyFilter, fullText: 'bert' },
  } as const
  function Page() {
    const [value, setValue] = useState<Filter>(emptyFilter)
    return (
      <>
        <button type="button" onClick={() => setValue(later.sort)}>
          Sort by Age
        </button>
        <button type="button" onClick={() => setValue(later.search)}>
          Search for bert
        </button>
        <FilterBuilder fields={fields} value={value} tabs={tabs} onApply={(filter) => void applied.push(filter)} />
      </>
    )
  }
  const { user } = renderApp(<Page />)
  await user.type(box('Words'), 'anna')
  await user.click(button('Sort by Age'))
  await user.click(button('Apply'))
  expect(applied).toEqual([{ ...emptyFilter, fullText: 'anna', sort: { field: 'Age', order: -1 } }])
  // No index is being built now, so another search shows.
  await user.click(button('Search for bert'))
  expect(box('Words')).toHaveValue('bert')
})

test('a filter that rows cannot show is kept, with the reason, and can be applied and reset', async () => {
  serveApi(counts)
  const stages = [{ $match: { $or: [{ City: 'Paris' }, { City: 'Rome' }] } }]
  const advanced = { stages: parsePipeline(stages), problem: 'Unknown Operator: "$or"' }
  const { user, applied } = build({ value: { ...emptyFilter, advanced } })
  expect(screen.getByRole('alert')).toHaveTextContent('Unknown Operator: "$or"')
  expect(screen.getByRole('region', { name: 'Advanced filter' })).toHaveTextContent('Rome')
  expect(screen.queryByRole('tab')).toBeNull()
  expect(await screen.findByText('1,234 contacts')).toBeVisible()
  await user.click(button('Reset'))
  await agree(user, 'Are you sure to remove all filters?')
  await user.click(button('Apply'))
  expect(applied).toEqual([emptyFilter])
})

test('only administrators see the filter as text and its result', async () => {
  const sent = serveApi({
    [offers]: (one) => answer('count' in one.query ? { count: 1 } : [{ _id: '7', City: 'Paris' }]),
  })
  const first = build({ value: { ...emptyFilter, standard: [city] } })
  expect(screen.queryByRole('button', { name: 'Show Filter' })).toBeNull()
  first.unmount()
  const { user } = build({ value: { ...emptyFilter, standard: [city] }, isAdmin: true })
  await user.click(button('Show Filter'))
  expect(screen.getByRole('region', { name: 'Filter as text' })).toHaveTextContent('"City": "Paris"')
  await user.click(button('Hide Filter'))
  expect(screen.queryByRole('region', { name: 'Filter as text' })).toBeNull()
  await user.click(button("Filter's Result"))
  expect(await screen.findByRole('region', { name: "Filter's result" })).toHaveTextContent('"_id": "7"')
  expect(sent.at(-1)?.query).toMatchObject({
    find: JSON.stringify([{ $match: { $and: [{ City: 'Paris' }] } }]),
    limit: '5',
  })
  await user.click(button('Hide Result'))
  expect(screen.queryByRole('region', { name: "Filter's result" })).toBeNull()
  await user.click(button("Filter's Result"))
  expect(await screen.findByRole('region', { name: "Filter's result" })).toBeVisible()
  // The result of another filter would be misleading.
  await user.type(box('Value of condition 1'), 's')
  expect(screen.queryByRole('region', { name: "Filter's result" })).toBeNull()
})

test('a grouping shows the result of its groups; a refusal shows the reason', async () => {
  const sent = serveApi({
    [offers]: (one) => ('aggregate' in one.query ? refusal(400, 'invalid_filter', 'Not so.') : answer({ count: 1 })),
  })
  const groupBy = { id: { field: 'City', part: null }, id2: null, isOfEvents: false, events: [] }
  const { user } = build({
    value: {
      ...emptyFilter,
      groupBy: { ...groupBy, measures: [{ operator: 'count', field: null }], sortBy: 'id', sort: 1, limit: 50 },
    },
    isAdmin: true,
  })
  await user.click(button("Filter's Result"))
  expect(await screen.findByRole('region', { name: "Filter's result" })).toHaveTextContent('Not so.')
  expect(sent.at(-1)?.query['aggregate']).toContain('$group')
})
