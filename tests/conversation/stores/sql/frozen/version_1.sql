CREATE TABLE toolproto_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    search TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    updated DOUBLE PRECISION NOT NULL,
    records BIGINT NOT NULL
);
INSERT INTO "toolproto_sessions" VALUES('texts','Every kind of text, ÄÖÜ','every kind of text, äöü',1.79472433970095777509e+09,1.79472433970311737064e+09,10);
INSERT INTO "toolproto_sessions" VALUES('values','Every kind of value','every kind of value',1.79472433970778584479e+09,1.79472433970864391327e+09,5);
INSERT INTO "toolproto_sessions" VALUES('empty','','',1.79472433970898270607e+09,1.79472433970898270607e+09,0);
CREATE TABLE toolproto_version (version BIGINT NOT NULL);
INSERT INTO "toolproto_version" VALUES(1);
CREATE TABLE toolproto_records (
    session TEXT NOT NULL REFERENCES toolproto_sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    search TEXT NOT NULL,
    token BIGINT NOT NULL,
    PRIMARY KEY (session, seq)
);
INSERT INTO "toolproto_records" VALUES('texts',0,'message','{"role":"user","content":""}','user
',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',1,'message','{"role":"user","content":"a\u0000b"}','user
a�b',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',2,'message','{"role":"user","content":"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f  ﻿"}','user
�	
  ﻿',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',3,'message','{"role":"user","content":"it''s \"quoted\" \\ `${x}` %s :name ? -- ;"}','user
it''s "quoted" \ `${x}` %s :name ? -- ;',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',4,'message','{"role":"user","content":"Bär, naïve, İstanbul, ß, é"}','user
bär, naïve, i̇stanbul, ss, é',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',5,'message','{"role":"user","content":"你好 нет שלום نعم"}','user
你好 нет שלום نعم',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',6,'message','{"role":"user","content":"👩‍👩‍👧 😀"}','user
👩‍👩‍👧 😀',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',7,'message','{"role":"user","content":"\ud800 and \udfff"}','user
� and �',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',8,'message','{"role":"user","content":"￾ 􏿿"}','user
￾ 􏿿',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('texts',9,'message','{"role":"user","content":"\\u0000 \\ud800 \\n"}','user
\u0000 \ud800 \n',7713348206716705717);
INSERT INTO "toolproto_records" VALUES('values',0,'value','{}','',2749703777538788818);
INSERT INTO "toolproto_records" VALUES('values',1,'value','{"int":1180591620717411303424,"float":0.1,"tiny":5e-324,"negative":-0.0}','',2749703777538788818);
INSERT INTO "toolproto_records" VALUES('values',2,'value','{"a":null,"b":true,"c":false}','',2749703777538788818);
INSERT INTO "toolproto_records" VALUES('values',3,'value','{"a":[{"b":[[],{},[1,[2]]]}]}','',2749703777538788818);
INSERT INTO "toolproto_records" VALUES('values',4,'value','{"":1,"\u0000":2,"a b":3,"\u00e4":4,"kind":5,"session":6,"\ud800":7}','',2749703777538788818);
