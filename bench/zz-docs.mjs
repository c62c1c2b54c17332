import { readFile } from 'node:fs/promises';
import { readFileSync, readdirSync } from 'node:fs';
import { openBench, option } from './lib.mjs';
const KEY = 'bench-key-1234567890';
const bench = await openBench();
Object.assign(bench.env, { PASSPORTS_PORT: '0', PASSPORTS_API_KEYS: `bench:${KEY}`, SERVICES: 'passports' });
const stat=()=>{const out=new Map();for(const d of readdirSync('/proc')){if(!/^\d+$/.test(d))continue;try{const s=readFileSync(`/proc/${d}/stat`,'utf8');const f=s.slice(s.lastIndexOf(')')+2).split(' ');const cmd=readFileSync(`/proc/${d}/cmdline`,'utf8').replaceAll('\0',' ').slice(0,400);out.set(d,{t:(Number(f[11])+Number(f[12]))*10,cmd})}catch{}}return out};
try {
  const bytes = await readFile(process.argv[2]);
  const { message } = await bench.start('serve');
  const url = message.listening.passports;
  const j=async(path,headers,body)=>{const r=await fetch(url+path,{method:'POST',headers,body});if(!r.ok)throw new Error(await r.text());return r.json()};
  const { token } = await j('/auth/token', { 'content-type': 'application/json' }, JSON.stringify({ api_key: KEY }));
  const run=async(count)=>{ const ids=[];
    for (let first = 0; first < count; first += 20) { const form = new FormData();
      for (let i = first; i < Math.min(count, first + 20); i++) form.append('files', new Blob([bytes, `\n%${Math.random()}`]), `${i}.pdf`);
      const { items } = await j('/upload', { accept: 'application/json', authorization: `Bearer ${token}` }, form); ids.push(...items.map(({ id }) => id)); }
    return ids; };
  const wait=async(ids)=>{for(;;){const { rows:[r] } = await bench.db.query(`select count(*) filter (where status='done')::int as done, count(*) filter (where status = 'failed')::int as failed, count(*)/ extract(epoch from max(finished_at) - min(started_at))::float8 as ps from tasks where id = any($1)`,[ids]); if(r.failed) throw new Error('failed'); if(r.done===ids.length) return r.ps; await new Promise(r=>setTimeout(r,200));}};
  const N=option('n',300);
  await bench.start('work','--service','passports');
  if(process.argv.includes('--two')) await bench.start('work','--service','passports');
  await wait(await run(20));
  if(process.env.PREQUEUE){}
  const ids=await run(N); const a=stat(); const t0=performance.now();
  const left=(await bench.db.query(`select count(*)::int as n from tasks where id=any($1) and status<>'done'`,[ids])).rows[0].n;
  const ps=await wait(ids); const b=stat(); const wall=performance.now()-t0;
  console.log('rate',ps.toFixed(1),'left at start',left,'wall',wall|0);
  const rows=[...b].map(([p,{t,cmd}])=>[t-(a.get(p)?.t??0),p,cmd]).filter(([t])=>t>=20).sort((x,y)=>y[0]-x[0]);
  const agg={}; for(const [t,p,cmd] of rows){const k=/postgres: /.test(cmd)?'pg '+cmd.replace(/\d+\.\d+\.\d+\.\d+\(\d+\)/,'').slice(0,60):cmd.slice(-60); agg[k]=(agg[k]||0)+t;}
  for(const [k,t] of Object.entries(agg).sort((x,y)=>y[1]-x[1])) console.log((t/left).toFixed(2),'ms/doc',k);
} finally { await bench.close(); }
