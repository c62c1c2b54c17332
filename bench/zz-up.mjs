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
  const up=async(n)=>{ const form = new FormData(); for (let i=0;i<n;i++) form.append('files', new Blob([bytes, `\n%${Math.random()}`]), `${i}.pdf`); const t=performance.now(); await j('/upload', { accept: 'application/json', authorization: `Bearer ${token}` }, form); return performance.now()-t;};
  for(let i=0;i<5;i++) await up(20);
  const a=stat(); let sum=0; const ts=[]; for(let i=0;i<15;i++){const t=await up(20); ts.push(t|0); sum+=t;}
  const b=stat(); console.log('ms per doc',sum/300, ts.join(' '));
  for(const [p,{t,cmd}] of b){const d=t-(a.get(p)?.t??0); if(d>=30) console.log((d/300).toFixed(2),cmd.slice(-70));}
} finally { await bench.close(); }
