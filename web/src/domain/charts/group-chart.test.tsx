import type { Grouping } from '@portico/domain/pipeline/grouping'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import type { ChartHandle } from '#ui/chart/chart.tsx'
import { ChartTable } from './chart-table.tsx'
import { GroupChart } from './group-chart.tsx'

const grouping: Grouping = {
  keys: [
    { name: 'City', field: 'City', part: null, type: 'string' },
    { name: 'Code', field: 'Code', part: null, type: 'string' },
  ],
  values: ['n'],
  sums: ['n'],
}
const rows = [
  { City: 'Oslo', Code: 'a', n: 1 },
  { City: 'Oslo', Code: 'b', n: 2 },
  { City: '<b>Rome</b>', Code: 'a', n: 3 },
]
const options = { height: 200 }

/** A place of the page has no size in tests, and charts draw nothing then. */
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(400)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(200)
  // Texts are measured with a canvas, without which widths are estimated.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const drawnChart = async (label: string): Promise<HTMLElement> => {
  const chart = await screen.findByRole('application', { name: label })
  await waitFor(() => expect(chart.querySelector('svg')).not.toBeNull())
  return chart
}

test('arrow keys announce the values, Enter selects, Shift+Enter adds, and Escape resets', async () => {
  const onSelect = vi.fn<(keys: unknown, how: unknown) => void>()
  const onReset = vi.fn<() => void>()
  const { user } = renderApp(
    <GroupChart label="By city" kind="Column" {...{ options, grouping, rows, onSelect, onReset }} />,
  )
  const chart = await drawnChart('By city')
  expect(chart).toHaveAccessibleDescription(/Arrow keys move over the values/)
  await user.tab()
  expect(chart).toHaveFocus()
  const spoken = screen.getByRole('status')
  await user.keyboard('{ArrowRight}')
  expect(spoken).toHaveTextContent('Oslo, a: 1')
  await user.keyboard('{ArrowRight}')
  expect(spoken).toHaveTextContent('<b>Rome</b>, a: 3')
  await user.keyboard('{Home}{ArrowDown}')
  expect(spoken).toHaveTextContent('Oslo, b: 2')
  await user.keyboard('{Enter}')
  expect(onSelect).toHaveBeenLastCalledWith([['Oslo', 'b']], { isAdding: false })
  await user.keyboard('{End}{Shift>}{Enter}{/Shift}')
  expect(onSelect).toHaveBeenLastCalledWith([['<b>Rome</b>', 'a']], { isAdding: true })
  await user.keyboard('{Escape}')
  expect(onReset).toHaveBeenCalledOnce()
})

test('selected values are announced as selected; texts never become elements of the page', async () => {
  const chosen = [['Oslo', 'a']]
  const { user } = renderApp(<GroupChart label="By city" kind="Column" {...{ options, grouping, rows, chosen }} />)
  const chart = await drawnChart('By city')
  await user.tab()
  await user.keyboard('{ArrowRight}')
  expect(screen.getByRole('status')).toHaveTextContent('Oslo, a: 1, selected')
  expect(chart.querySelector('b')).toBeNull()
})

test.each(['Area', 'Bar', 'Combo', 'Line', 'Pie', 'Geo'] as const)(
  '%s is drawn, and exported as an image',
  async (kind) => {
    let handle: ChartHandle | null = null
    renderApp(
      <GroupChart
        label="A chart"
        {...{ kind, options, grouping, rows: [{ City: 'Norway', Code: 'a', n: 4 }, ...rows] }}
        ref={(found) => {
          handle = found
        }}
      />,
    )
    await drawnChart('A chart')
    const svg = await (handle as ChartHandle | null)?.toSvg()
    expect(svg).toMatch(/^<svg width="400" height="200"/)
    expect(new DOMParser().parseFromString(svg ?? '', 'image/svg+xml').querySelector('parsererror')).toBeNull()
  },
)

test('dragging over the bars chooses their groups; a finger scrolls instead', async () => {
  const onSelect = vi.fn<(keys: unknown, how: unknown) => void>()
  renderApp(<GroupChart label="By city" kind="Column" {...{ options, grouping, rows, onSelect }} />)
  const chart = await drawnChart('By city')
  const place = chart.firstElementChild ?? chart
  const drag = (to: number, pointerType: string, shiftKey = false): void => {
    fireEvent.pointerDown(place, { clientX: 100, clientY: 100, pointerType })
    fireEvent.pointerMove(window, { clientX: to, clientY: 100 })
    fireEvent.pointerUp(window, { clientX: to, clientY: 100, shiftKey })
  }
  drag(300, 'touch')
  drag(103, 'mouse')
  expect(onSelect).not.toHaveBeenCalled()
  drag(300, 'mouse', true)
  expect(onSelect).toHaveBeenCalledExactlyOnceWith(
    [
      ['Oslo', 'a'],
      ['Oslo', 'b'],
      ['<b>Rome</b>', 'a'],
    ],
    { isAdding: true },
  )
})

test('a map lists what it cannot show, within the height of the chart', async () => {
  renderApp(
    <GroupChart label="A map" kind="Geo" {...{ options, grouping, rows: [...rows, { City: 'NO', Code: 'a' }] }} />,
  )
  expect(await screen.findByText('No known region: Oslo, <b>Rome</b>.')).toBeVisible()
  expect((await drawnChart('A map')).firstElementChild).toHaveStyle({ height: '178px' })
})

test('charts far outside the viewport are drawn when they come near', async () => {
  let come = (): void => undefined
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(report: (entries: { isIntersecting: boolean }[]) => void) {
        come = () => report([{ isIntersecting: true }])
      }
      observe(): void {}
      disconnect(): void {}
    },
  )
  renderApp(<GroupChart label="By city" kind="Column" {...{ options, grouping, rows }} />)
  const chart = await screen.findByRole('application')
  expect(chart.querySelector('svg')).toBeNull()
  come()
  await drawnChart('By city')
})

test('the table has the same rows with headers, and can select values too', async () => {
  const onSelect = vi.fn<(keys: unknown, how: unknown) => void>()
  const chosen = [['Oslo', 'b']]
  const { user } = renderApp(<ChartTable caption="Contacts by city" {...{ grouping, rows, chosen, onSelect }} />)
  const table = screen.getByRole('table', { name: 'Contacts by city' })
  expect(within(table).getAllByRole('columnheader')).toHaveLength(3)
  expect(
    within(table)
      .getAllByRole('rowheader')
      .map(({ textContent }) => textContent),
  ).toEqual(['Oslo', 'Oslo', '<b>Rome</b>'])
  const [first, second] = within(table).getAllByRole('button', { name: 'Oslo' })
  expect(first).toHaveAttribute('aria-pressed', 'false')
  expect(second).toHaveAttribute('aria-pressed', 'true')
  await user.click(first ?? table)
  expect(onSelect).toHaveBeenCalledWith([['Oslo', 'a']], { isAdding: false })
})

test('a long table shows its first rows, and all on request', async () => {
  const many = Array.from({ length: 250 }, (_, at) => ({ City: `City ${at}`, Code: 'a', n: at }))
  const { user } = renderApp(<ChartTable caption="Many" grouping={grouping} rows={many} />)
  expect(screen.getAllByRole('rowheader')).toHaveLength(200)
  await user.click(screen.getByRole('button', { name: 'Show all 250 rows' }))
  expect(screen.getAllByRole('rowheader')).toHaveLength(250)
})
