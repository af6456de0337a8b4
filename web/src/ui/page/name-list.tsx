import { Button } from '@mantine/core'
import { useState } from 'react'
import css from './name-list.module.css'

/** This many fit on a few lines; the rest is one click away. */
const shownAtFirst = 60

/** Names in a row of tags, such as the columns of a file. A long list opens in full on demand. */
export function NameList({ names }: { names: string[] }) {
  const [isWhole, setWhole] = useState(false)
  if (names.length === 0) return <span aria-label="none">–</span>
  const hidden = isWhole ? 0 : Math.max(0, names.length - shownAtFirst)
  return (
    <>
      <ul className={css['list']}>
        {names.slice(0, names.length - hidden).map((name, index) => (
          // Names may repeat; their position distinguishes them.
          <li key={`${index}:${name}`}>{name}</li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="subtle" size="compact-xs" mt={6} onClick={() => setWhole(true)}>
          {`Show ${hidden.toLocaleString('en-US')} more`}
        </Button>
      )}
    </>
  )
}
