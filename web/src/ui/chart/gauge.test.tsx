import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Gauge } from './gauge.tsx'

const needleOf = (): string => screen.getByRole('figure').querySelector('path[class]')?.getAttribute('d') ?? ''

test('bands of equal width cover 0 to the maximum', () => {
  render(<Gauge label="Share" value={50} max={100} text="50%" colors={['#ff0000', '#00ff00', '#ff0000']} />)
  const figure = screen.getByRole('figure', { name: 'Share: 50% on a scale to 100' })
  const bands = [...figure.querySelectorAll('path[stroke]')]
  expect(bands.map((band) => band.getAttribute('stroke'))).toEqual(['#ff0000', '#00ff00', '#ff0000'])
  // Half of the scale is straight up.
  expect(needleOf()).toMatch(/L 110 53 L/)
})

test('a value over the maximum is drawn at the maximum, with its actual number', () => {
  render(<Gauge label="Share" value={100} max={100} text="100%" />)
  const full = needleOf()
  document.body.replaceChildren()
  render(<Gauge label="Share" value={250} max={100} text="250%" />)
  expect(needleOf()).toBe(full)
  expect(screen.getByText('250%')).toBeInTheDocument()
})

test('below 0 or without a maximum the needle is at the start', () => {
  render(<Gauge label="Share" value={0} max={100} text="0" />)
  const first = needleOf()
  for (const [value, max] of [
    [-5, 100],
    [5, 0],
  ] as const) {
    document.body.replaceChildren()
    render(<Gauge label="Share" value={value} max={max} text="x" />)
    expect(needleOf()).toBe(first)
  }
})
