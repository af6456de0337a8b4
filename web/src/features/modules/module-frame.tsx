import { Anchor, Button, Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconExternalLink from '#icons/IconExternalLink'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import css from './module-frame.module.css'

/** A page that has not loaded by then counts as failed. */
const givesUpAfterMs = 30_000

type State = 'loading' | 'shown' | 'failed'

/** Another product's page. It runs in a sandbox: it can neither leave its frame nor reach the portal around it. */
export function ModuleFrame({ url, title }: { url: string; title: string }) {
  const [attempt, setAttempt] = useState(0)
  return <Attempt key={`${url} ${attempt}`} url={url} title={title} onRetry={() => setAttempt(attempt + 1)} />
}

function Attempt({ url, title, onRetry }: { url: string; title: string; onRetry: () => void }) {
  const [state, setState] = useState<State>('loading')
  useEffect(() => {
    if (state !== 'loading') return undefined
    const timer = window.setTimeout(() => setState('failed'), givesUpAfterMs)
    return () => window.clearTimeout(timer)
  }, [state])

  return (
    <div className={css['module']}>
      <div className={css['bar']}>
        <h1 className={css['title']}>{title}</h1>
        <Anchor href={url} target="_blank" rel="noreferrer" className={css['outside'] ?? ''}>
          <IconExternalLink size={15} aria-hidden />
          Open in a new tab
        </Anchor>
      </div>
      <div className={css['place']}>
        {state === 'loading' && (
          <output className={css['loading']}>
            <Loader size={20} aria-hidden />
            Loading {title}. Please wait...
          </output>
        )}
        {state === 'failed' ? (
          <div role="alert">
            <EmptyState
              icon={<IconAlertTriangle size={22} />}
              title={`${title} did not load`}
              action={
                <Button variant="default" onClick={onRetry}>
                  Try again
                </Button>
              }
            >
              It has not answered for {givesUpAfterMs / 1000} seconds. It may be down, or refuse to be shown here.
            </EmptyState>
          </div>
        ) : (
          <iframe
            src={url}
            title={title}
            className={css['frame']}
            data-loading={state === 'loading' || undefined}
            sandbox={sandboxFor(url)}
            referrerPolicy="no-referrer"
            allow="fullscreen; clipboard-write"
            onLoad={() => setState('shown')}
          />
        )}
      </div>
    </div>
  )
}

/** Allows its own storage and cookies, which keep its users signed in; on our own address those would be ours. */
function sandboxFor(url: string): string {
  const isForeign = new URL(url, window.location.href).origin !== window.location.origin
  const allowed = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals'
  return isForeign ? `${allowed} allow-same-origin` : allowed
}
