import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { useLocalTable } from './local-table.ts'
import { changeSettings } from '#lib/settings.ts'
import { useTableUrl } from './table-url.ts'

function Distant() {
  const { pageSize, pageSizes, onPageSizeChange } = useTableUrl()
  return <List {...{ pageSize, pageSizes, onPageSizeChange }} />
}

function Local() {
  const { pageSize, pageSizes, onPageSizeChange } = useLocalTable([1, 2, 3])
  return <List {...{ pageSize, pageSizes, onPageSizeChange }} />
}

type ListProps = { pageSize: number; pageSizes: number[]; onPageSizeChange: (size: number) => void }

function List({ pageSize, pageSizes, onPageSizeChange }: ListProps) {
  return (
    <>
      <p>{`${pageSize} of ${pageSizes.join(', ')}`}</p>
      {pageSizes.map((size) => (
        <button key={size} type="button" onClick={() => onPageSizeChange(size)}>
          {String(size)}
        </button>
      ))}
    </>
  )
}

test('each list keeps the page size that was chosen last', async () => {
  const first = renderApp(<Distant />, '/contact-service/imports')
  expect(screen.getByText('5 of 5, 10, 20, 50, 100')).toBeVisible()
  await first.user.click(screen.getByRole('button', { name: '50' }))
  expect(first.address()).toBe('/contact-service/imports?size=50')
  first.unmount()
  const again = renderApp(<Distant />, '/contact-service/imports')
  expect(screen.getByText('50 of 5, 10, 20, 50, 100')).toBeVisible()
  await again.user.click(screen.getByRole('button', { name: '5' }))
  expect(again.address()).toBe('/contact-service/imports')
  expect(screen.getByText('5 of 5, 10, 20, 50, 100')).toBeVisible()
  again.unmount()
  renderApp(<Distant />, '/contact-service/exports')
  expect(screen.getByText('5 of 5, 10, 20, 50, 100')).toBeVisible()
})

test('lists of the identity area keep their page size, including all rows, until the setting changes', async () => {
  const first = renderApp(<Local />, '/iam/policies')
  expect(screen.getByText('10 of 5, 10, 15, 50, 100, Infinity')).toBeVisible()
  await first.user.click(screen.getByRole('button', { name: 'Infinity' }))
  first.unmount()
  renderApp(<Local />, '/iam/policies')
  expect(screen.getByText('Infinity of 5, 10, 15, 50, 100, Infinity')).toBeVisible()
  act(() => changeSettings({ rowsPerPage: 15 }))
  expect(screen.getByText('15 of 5, 10, 15, 50, 100, Infinity')).toBeVisible()
})
