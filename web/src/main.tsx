import './zod-settings.ts'
import '@fontsource-variable/inter/wght.css'
import '#ui/styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { prefetchDeployment } from '#lib/deployment.ts'
import { followPastedLinks } from '#lib/session/impersonation-link.ts'
import { restoreSession } from '#lib/session/session.ts'

void prefetchDeployment()
void restoreSession()
followPastedLinks()

const root = document.querySelector('#root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
