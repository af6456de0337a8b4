import { Button, Group, Loader, Text, Title } from '@mantine/core'
import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatDate } from '#lib/formats.ts'
import { useAccount } from '#lib/session/session.ts'
import { paperStore } from '#ui/page/paper.ts'
import css from './stage.module.css'

/** Time for charts to be drawn after their data has loaded. */
const drawingMs = 1500

/** The header of a printed dashboard. Opens the browser's print dialog as soon as every cell has loaded. */
export function PrintPage({ name, onEnd }: { name: string; onEnd: () => void }) {
  const account = useAccount()
  const [madeAt] = useState(() => new Date().toISOString())
  const left = useIsFetching({ queryKey: ['dashboards', 'cell'] })
  useEffect(() => {
    paperStore.set(true)
    return () => paperStore.set(false)
  }, [])
  useEffect(() => {
    if (left > 0) return undefined
    const timer = window.setTimeout(() => {
      window.addEventListener('afterprint', onEnd, { once: true })
      window.print()
    }, drawingMs)
    return () => window.clearTimeout(timer)
  }, [left, onEnd])
  return (
    <>
      <Group component="output" className={css['preparing'] ?? ''}>
        <Loader size="xs" aria-hidden />
        <Text size="sm">{left > 0 ? 'Reading all rows for the print …' : 'Opening the print dialog …'}</Text>
        <Button variant="default" size="compact-sm" onClick={onEnd}>
          Back to the dashboard
        </Button>
      </Group>
      <header className={css['paper-head']}>
        <Title order={1}>{name}</Title>
        <Text size="sm">{`${account.name} · data of ${formatDate(madeAt)}`}</Text>
      </header>
    </>
  )
}
