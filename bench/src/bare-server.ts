// The reference of `bench point`: only the web framework, with one route that reads one row by its primary key. Usage:
// node bare-server.ts <port> <database url> <table>
import Fastify from 'fastify'
import pg from 'pg'

const [port = '', databaseUrl = '', table = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 })
const app = Fastify()
app.get<{ Params: { id: string } }>('/rows/:id', async (request) => {
  const { rows } = await pool.query({
    name: 'point',
    text: `SELECT * FROM ${table} WHERE id = $1`,
    values: [request.params.id],
  })
  return rows[0]
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
