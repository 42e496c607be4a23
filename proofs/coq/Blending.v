(** * Crowd-blending and sampling give differential privacy (Gehrke, Hay, Lui, Pass)

    Double counting ([exchange]): a sample with the target and m of its look-alikes becomes, by exchanging the target
    for a look-alike that was not sampled, a sample without the target and with m + 1 of them. Where at most a share g
    of the look-alikes is sampled this costs a constant factor ([step]); the rest is the delta ([blend_forward]). *)

From Coq Require Import Reals Lra Psatz Lia Arith List Bool Permutation ClassicalDedekindReals Classical.
From Crowdproof Require Import Definitions Binomial Expectation.
Import ListNotations.
Open Scope R_scope.

Section Blend.
Variable Row : Type.
Variable t : Row.
(** The rows that are alike to t. *)
Variable inA : Row -> bool.
Variables b x : R.
Hypothesis Hb : 0 < b < 1.
Hypothesis Hx : 1 <= x.
Notation E := (E Row b).
Notation f := (f b).

(** How many look-alikes there are. *)
Definition cnt (s:list Row) := length (filter inA s).
Lemma cnt_in u s : inA u = true -> cnt (u::s) = S (cnt s). Proof. intro H. unfold cnt. simpl. rewrite H. reflexivity. Qed.
Lemma cnt_out u s : inA u = false -> cnt (u::s) = cnt s. Proof. intro H. unfold cnt. simpl. rewrite H. reflexivity. Qed.
Definition ok (p:list Row->R) := (forall s, 0 <= p s) /\ (forall l l', Permutation l l' -> p l = p l') /\ (forall l u, inA u = true -> p (t::l) <= x*p (u::l)).
Lemma ok_cons p v : ok p -> ok (fun s => p (v::s)).
Proof. intros [H0 [H1 H2]]. repeat split; intros; auto. rewrite (H1 (v::t::l) (t::v::l)) by apply perm_swap. rewrite (H1 (v::u::l) (u::v::l)) by apply perm_swap. apply H2; assumption. Qed.
(** [at_ m h] is h on samples with exactly m look-alikes, else 0. *)
Definition at_ (m:nat) (h:list Row->R) := fun s => one (cnt s =? m)%nat * h s.
(* exchanging the target for a look-alike that was not sampled *)
Lemma exchange l : forall p m, ok p -> b*(INR (cnt l) - INR m)*E l (at_ m (fun s => p (t::s))) <= x*(1-b)*(INR m + 1)*E l (at_ (S m) p).
Proof. induction l as [|u l IH]; intros p m Hp.
 - unfold at_, cnt. simpl. destruct m; simpl. lra. unfold one. lra.
 - simpl Definitions.E. destruct (inA u) eqn:U.
   + rewrite (cnt_in u l U), S_INR. set (N:=INR (cnt l)).
     assert (A1:=IH p m Hp). fold N in A1.
     assert (A2: E l (at_ m (fun s => p (t::s))) <= x*E l (at_ m (fun s => p (u::s)))).
     { rewrite <- E_scal. apply E_le. lra. intro s. unfold at_, one. destruct (cnt s =? m)%nat. rewrite !Rmult_1_l. apply Hp; exact U. lra. }
     rewrite (E_ext Row b l (fun s => at_ (S m) p (u::s)) (at_ m (fun s => p (u::s)))) by (intro s; unfold at_; rewrite (cnt_in u s U); reflexivity).
     set (a:=E l (at_ m (fun s => p (t::s)))) in *. set (c1:=E l (at_ (S m) p)) in *. set (c:=E l (at_ m (fun s => p (u::s)))) in *.
     destruct m as [|m'].
     * rewrite (E_ext Row b l (fun s => at_ 0 (fun s0 => p (t::s0)) (u::s)) (fun _ => 0)) by (intro s; unfold at_; rewrite (cnt_in u s U); simpl; unfold one; ring). rewrite E_const. simpl INR in *.
       assert (b*(1-b)*a <= b*(1-b)*(x*c)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact A2]).
       assert ((1-b)*(b*(N-0)*a) <= (1-b)*(x*(1-b)*(0+1)*c1)) by (apply Rmult_le_compat_l; [lra|exact A1]). lra.
     * rewrite (E_ext Row b l (fun s => at_ (S m') (fun s0 => p (t::s0)) (u::s)) (at_ m' (fun s => p (u::t::s)))) by (intro s; unfold at_; rewrite (cnt_in u s U); simpl; f_equal; apply Hp; apply perm_swap).
       assert (A3:=IH (fun s => p (u::s)) m' (ok_cons p u Hp)). fold N in A3. cbv beta in A3. fold c in A3. set (a':=E l (at_ m' (fun s => p (u::t::s)))) in *.
       rewrite S_INR in *. set (m:=INR m') in *.
       assert (b*(1-b)*a <= b*(1-b)*(x*c)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact A2]).
       assert ((1-b)*(b*(N-(m+1))*a) <= (1-b)*(x*(1-b)*(m+1+1)*c1)) by (apply Rmult_le_compat_l; [lra|exact A1]).
       assert (b*(b*(N-m)*a') <= b*(x*(1-b)*(m+1)*c)) by (apply Rmult_le_compat_l; [lra|exact A3]). lra.
   + rewrite (cnt_out u l U).
     rewrite (E_ext Row b l (fun s => at_ m (fun s0 => p (t::s0)) (u::s)) (at_ m (fun s => p (u::t::s)))) by (intro s; unfold at_; rewrite (cnt_out u s U); f_equal; apply Hp; apply perm_swap).
     rewrite (E_ext Row b l (fun s => at_ (S m) p (u::s)) (at_ (S m) (fun s => p (u::s)))) by (intro s; unfold at_; rewrite (cnt_out u s U); reflexivity).
     assert (A1:=IH p m Hp). assert (A3:=IH (fun s => p (u::s)) m (ok_cons p u Hp)). cbv beta in A3.
     set (N:=INR (cnt l)) in *. set (a:=E l (at_ m (fun s => p (t::s)))) in *. set (a':=E l (at_ m (fun s => p (u::t::s)))) in *. set (c:=E l (at_ (S m) p)) in *. set (c':=E l (at_ (S m) (fun s => p (u::s)))) in *.
     assert ((1-b)*(b*(N-INR m)*a) <= (1-b)*(x*(1-b)*(INR m+1)*c)) by (apply Rmult_le_compat_l; [lra|exact A1]).
     assert (b*(b*(N-INR m)*a') <= b*(x*(1-b)*(INR m+1)*c')) by (apply Rmult_le_compat_l; [lra|exact A3]). lra. Qed.
Lemma binomial_mass l : forall m, E l (at_ m (fun _ => 1)) = f (cnt l) m.
Proof. induction l as [|u l IH]; intro m; simpl.
 - unfold at_, cnt. simpl. destruct m; unfold one; simpl; ring.
 - destruct (inA u) eqn:U.
   + rewrite (cnt_in u l U). rewrite IH. simpl f. destruct m.
     * rewrite (E_ext Row b l _ (fun _ => 0)) by (intro s; unfold at_; rewrite (cnt_in u s U); simpl; unfold one; ring). rewrite E_const. ring.
     * rewrite (E_ext Row b l _ (at_ m (fun _ => 1))) by (intro s; unfold at_; rewrite (cnt_in u s U); reflexivity). rewrite IH. reflexivity.
   + rewrite (cnt_out u l U). rewrite (E_ext Row b l (fun s => at_ m (fun _ => 1) (u::s)) (at_ m (fun _ => 1))) by (intro s; unfold at_; rewrite (cnt_out u s U); reflexivity). rewrite IH. ring. Qed.
Lemma by_count l : forall h M, (cnt l < M)%nat -> E l h = sum (fun m => E l (at_ m h)) M.
Proof. induction l as [|u l IH]; intros h M HM; simpl.
 - unfold at_, cnt in *. simpl in *. destruct M; [lia|]. rewrite sum_shift. rewrite sum_zero by (intros j Hj; simpl; unfold one; ring). simpl. unfold one. ring.
 - rewrite sum_lin. destruct (inA u) eqn:U.
   + rewrite (cnt_in u l U) in HM. rewrite <- IH by lia. f_equal. f_equal. destruct M; [lia|]. rewrite sum_shift.
     rewrite (E_ext Row b l (fun s => at_ 0 h (u::s)) (fun _ => 0)) by (intro s; unfold at_; rewrite (cnt_in u s U); simpl; unfold one; ring). rewrite E_const.
     rewrite (IH (fun s => h (u::s)) M) by lia. rewrite Rplus_0_l. apply sum_ext. intros j _. apply E_ext. intro s. unfold at_. rewrite (cnt_in u s U). reflexivity.
   + rewrite (cnt_out u l U) in HM. rewrite <- IH by lia. f_equal. f_equal. rewrite (IH (fun s => h (u::s)) M) by lia. apply sum_ext. intros j _. apply E_ext. intro s. unfold at_. rewrite (cnt_out u s U). reflexivity. Qed.
Variable k : nat. Variable p : list Row->R. Hypothesis Hp : ok p. Hypothesis Hp1 : forall s, p s <= 1.
(* (k,eps)-crowd-blending for t: with fewer than k look-alikes (t counted) it is ignored *)
Hypothesis Hignored : forall s, (S (cnt s) < k)%nat -> p (t::s) <= x*p s.
Variable g : R. Hypothesis Hg : g = 1-(1-b)*(1-b).
Definition tau := b*(2-b)/(1-b).
Definition isbad (n j:nat) : bool := (k <=? j)%nat && (if Rlt_dec (g*INR n) (INR j) then true else false).
(* sum over bad j of (j/n) f(j;n,b), written as b f(j-1;n-1,b) *)
Definition bad_mass (N M:nat) := sum (fun m => ind (isbad (S N) (S m)) (b*f N m)) M.
Lemma tau_b : b <= tau. Proof. unfold tau. apply Rmult_le_reg_r with (1-b). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. assert (0<=b*b) by (apply Rmult_le_pos; lra). lra. Qed.
Lemma step l m : b*E l (at_ m (fun s => p (t::s))) <= ind (negb (isbad (S (cnt l)) (S m))) (if (S m <? k)%nat then tau*x*E l (at_ m p) else tau*x*E l (at_ (S m) p)) + ind (isbad (S (cnt l)) (S m)) (b*f (cnt l) m).
Proof. set (N:=cnt l). assert (C0: forall q, 0 <= E l (at_ q p)). { intro q. rewrite <- (E_const Row b l 0). apply E_le. lra. intro s. unfold at_, one. destruct Hp as [H0 _]. assert (Q:=H0 s). destruct (cnt s =? q)%nat; lra. }
 unfold isbad. destruct (S m <? k)%nat eqn:K.
 - apply Nat.ltb_lt in K. replace (k <=? S m)%nat with false by (symmetry; apply Nat.leb_gt; exact K). simpl. rewrite Rplus_0_r.
   assert (E l (at_ m (fun s => p (t::s))) <= x*E l (at_ m p)). { rewrite <- E_scal. apply E_le. lra. intro s. unfold at_, one. destruct (cnt s =? m)%nat eqn:Q. apply Nat.eqb_eq in Q. rewrite !Rmult_1_l. apply Hignored. lia. lra. }
   assert (b*E l (at_ m (fun s => p (t::s))) <= b*(x*E l (at_ m p))) by (apply Rmult_le_compat_l; lra).
   assert (b*(x*E l (at_ m p)) <= tau*(x*E l (at_ m p))) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; [lra|apply C0]|apply tau_b]). lra.
 - apply Nat.ltb_ge in K. replace (k <=? S m)%nat with true by (symmetry; apply Nat.leb_le; exact K). rewrite andb_true_l. destruct (Rlt_dec (g*INR (S N)) (INR (S m))) as [L|L]; simpl negb; unfold ind.
   + assert (E l (at_ m (fun s => p (t::s))) <= f N m). { unfold N. rewrite <- binomial_mass. apply E_le. lra. intro s. unfold at_, one. assert (Q:=Hp1 (t::s)). destruct (cnt s =? m)%nat; lra. }
     rewrite Rplus_0_l. apply Rmult_le_compat_l; lra.
   + rewrite Rplus_0_r. assert (X:=exchange l p m Hp). fold N in X. rewrite !S_INR in L. set (n:=INR N) in *. set (j:=INR m + 1) in *. set (a:=E l (at_ m (fun s => p (t::s)))) in *. set (c:=E l (at_ (S m) p)) in *.
     assert (N0: 0<=n) by apply pos_INR. assert (J: j <= g*(n+1)) by lra. assert (G1: 0 < 1-g) by (rewrite Hg; assert (0<(1-b)*(1-b)) by (apply Rmult_lt_0_compat; lra); lra).
     assert (P: (1-g)*(n+1) <= n - INR m) by (unfold j in J; lra). assert (P0: 0 < (1-g)*(n+1)) by (apply Rmult_lt_0_compat; lra).
     assert (Cc: 0 <= c) by apply C0. assert (xc: 0 <= x*(1-b)*c) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|exact Cc]).
     assert (a0: 0 <= a). { unfold a. rewrite <- (E_const Row b l 0). apply E_le. lra. intro s. unfold at_, one. destruct Hp as [H0 _]. assert (Q:=H0 (t::s)). destruct (cnt s =? m)%nat; lra. }
     assert (B0: 0 <= b*a) by (apply Rmult_le_pos; lra).
     assert (Q1: (1-g)*(n+1)*(b*a) <= (n-INR m)*(b*a)) by (apply Rmult_le_compat_r; lra).
     assert (Q2: j*(x*(1-b)*c) <= g*(n+1)*(x*(1-b)*c)) by (apply Rmult_le_compat_r; lra).
     assert (Q3: (n+1)*((1-g)*(b*a)) <= (n+1)*(g*(x*(1-b)*c))) by lra. apply Rmult_le_reg_l in Q3; [|lra].
     apply Rmult_le_reg_l with (1-g). exact G1. eapply Rle_trans. exact Q3. right. unfold tau. rewrite Hg. field. lra. Qed.
Theorem blend_forward l M : (S (cnt l) < M)%nat -> (1-b)*E l p + b*E l (fun s => p (t::s)) <= (tau*x + (1-b))*E l p + bad_mass (cnt l) M.
Proof. intro HM. assert (C0: forall q, 0 <= E l (at_ q p)). { intro q. rewrite <- (E_const Row b l 0). apply E_le. lra. intro s. unfold at_, one. destruct Hp as [H0 _]. assert (Q:=H0 s). destruct (cnt s =? q)%nat; lra. }
 assert (T0: 0 <= tau*x) by (apply Rmult_le_pos; [assert (Q:=tau_b); lra|lra]).
 assert (K: b*E l (fun s => p (t::s)) <= tau*x*E l p + bad_mass (cnt l) M).
 { rewrite (by_count l (fun s => p (t::s)) M) by lia. rewrite (by_count l p (S M)) by lia. unfold bad_mass.
   set (F:=fun m => if (S m <? k)%nat then E l (at_ m p) else E l (at_ (S m) p)).
   assert (S1: b*sum (fun m => E l (at_ m (fun s => p (t::s)))) M <= tau*x*sum F M + 1*sum (fun m => ind (isbad (S (cnt l)) (S m)) (b*f (cnt l) m)) M).
   { rewrite <- sum_lin. rewrite <- (Rplus_0_r (b*_)). rewrite <- (Rmult_0_l (sum (fun _ => 0) M)). rewrite <- sum_lin. apply sum_le. intros m _. rewrite Rmult_0_l, Rplus_0_r, Rmult_1_l.
     assert (Z:=step l m). unfold F. assert (Y1:=C0 m). assert (Y2:=C0 (S m)). assert (0<=tau*x*E l (at_ m p)) by (apply Rmult_le_pos; assumption). assert (0<=tau*x*E l (at_ (S m) p)) by (apply Rmult_le_pos; assumption).
     unfold ind in *. destruct (isbad (S (cnt l)) (S m)); simpl in Z; destruct (S m <? k)%nat; lra. }
   assert (S2: forall q, sum F q <= sum (fun m => E l (at_ m p)) (S q) - (if (S q <=? k)%nat then E l (at_ q p) else 0)).
   { induction q. simpl sum. destruct (1 <=? k)%nat; assert (Y:=C0 0%nat); lra.
     change (sum F (S q)) with (sum F q + F q). change (sum (fun m => E l (at_ m p)) (S (S q))) with (sum (fun m => E l (at_ m p)) (S q) + E l (at_ (S q) p)). unfold F at 2.
     assert (Y:=C0 q). assert (Y':=C0 (S q)).
     destruct (S q <? k)%nat eqn:A. apply Nat.ltb_lt in A. replace (S q <=? k)%nat with true in IHq by (symmetry; apply Nat.leb_le; lia). replace (S (S q) <=? k)%nat with true by (symmetry; apply Nat.leb_le; lia). lra.
     apply Nat.ltb_ge in A. replace (S (S q) <=? k)%nat with false by (symmetry; apply Nat.leb_gt; lia). destruct (S q <=? k)%nat; lra. }
   assert (S3: sum F M <= sum (fun m => E l (at_ m p)) (S M)). { assert (Q:=S2 M). assert (Y:=C0 M). destruct (S M <=? k)%nat; lra. }
   assert (tau*x*sum F M <= tau*x*sum (fun m => E l (at_ m p)) (S M)) by (apply Rmult_le_compat_l; lra). lra. }
 lra. Qed.
Theorem blend_reverse l : E l p <= /(1-b)*((1-b)*E l p + b*E l (fun s => p (t::s))).
Proof. assert (0 <= E l (fun s => p (t::s))). { rewrite <- (E_const Row b l 0). apply E_le. lra. intro s. apply Hp. }
 rewrite Rmult_plus_distr_l. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. assert (0 <= /(1-b)*(b*E l (fun s => p (t::s)))). { apply Rmult_le_pos. left. apply Rinv_0_lt_compat. lra. apply Rmult_le_pos; lra. } lra. Qed.
End Blend.

(** From the definition to the hypotheses above. *)

Section Definition_of_crowd_blending.
Variable Row : Type.
Variable Event : Type.
Variable A : Event -> list Row -> R.
Variable k : nat.
Variables b x : R.
Hypothesis Hb : 0 < b < 1.
Hypothesis Hx : 1 <= x.
Hypothesis A_range : forall O s, 0 <= A O s <= 1.
Hypothesis A_order : forall O s s', Permutation s s' -> A O s = A O s'.
Hypothesis HA : crowd_blending Row k x A.

Definition decide (P : Prop) : bool := if sig_not_dec P then true else false.

Lemma decide_iff P : decide P = true <-> P.
Proof. unfold decide. destruct (sig_not_dec P) as [H|H]; split; intro Q.
 - apply NNPP. exact H.
 - reflexivity.
 - discriminate.
 - contradiction. Qed.

Definition look_alike (t u : Row) : bool := decide (alike Row x A t u).

Lemma alike_refl t : alike Row x A t t.
Proof. intros O l. assert (Q := A_range O (t :: l)). split; nra. Qed.

Lemma few t c others s : Permutation s (c ++ others) -> Forall (alike Row x A t) c -> (length c <= cnt Row (look_alike t) s)%nat.
Proof. intros P F. unfold cnt.
 assert (L : forall l l', Permutation l l' -> length (filter (look_alike t) l) = length (filter (look_alike t) l')).
 { intros l l' Q. induction Q; simpl; auto. destruct (look_alike t x0); simpl; auto. destruct (look_alike t x0), (look_alike t y); reflexivity. congruence. }
 rewrite (L _ _ P), filter_app, app_length. enough (length (filter (look_alike t) c) = length c) by lia.
 clear P. induction F; simpl. reflexivity. replace (look_alike t x0) with true by (symmetry; apply decide_iff; assumption). simpl. rewrite IHF. reflexivity. Qed.

Lemma ignored t O s : (S (cnt Row (look_alike t) s) < k)%nat -> A O (t :: s) <= x * A O s.
Proof. intro H. destruct (HA t s) as [[c [others [P [Hc F]]]]|I]; [| apply I]. exfalso.
 assert (Q := few t c others (t :: s) P F). unfold cnt in *. simpl in Q. replace (look_alike t t) with true in Q by (symmetry; apply decide_iff; apply alike_refl). simpl in Q. lia. Qed.

Theorem sampled_crowd_blending delta :
  (forall n, (1 <= n)%nat -> blending_delta b (1 - (1 - b) * (1 - b)) k n <= delta) ->
  forall O, private Row b (b * (2 - b) / (1 - b) * x + (1 - b)) delta (A O).
Proof. intros Hd O D D' [l [t [l' [-> ->]]]].
 assert (P1 : Permutation (l ++ t :: l') (t :: l ++ l')) by (apply Permutation_sym, Permutation_middle).
 rewrite (E_permutation Row b _ _ P1) by (apply A_order). set (D := l ++ l'). change (E Row b (t :: D) (A O)) with ((1 - b) * E Row b D (A O) + b * E Row b D (fun s => A O (t :: s))).
 assert (OK : ok Row t (look_alike t) x (A O)). { repeat split. intro s; apply A_range. intros; apply A_order; assumption. intros s u Hu. apply (proj1 (decide_iff _) Hu O s). }
 set (N := cnt Row (look_alike t) D).
 assert (BM : bad_mass b k (1 - (1 - b) * (1 - b)) N (S (S N)) <= delta).
 { apply Rle_trans with (blending_delta b (1 - (1 - b) * (1 - b)) k (S N)); [| apply Hd; lia]. right. unfold bad_mass, blending_delta, isbad.
   assert (Z0 : forall c, ind c 0 = 0) by (intros []; reflexivity).
   match goal with |- sum ?u _ = sum ?v _ => set (one_less := u); set (whole := v) end.
   change (sum one_less (S (S N))) with (sum one_less (S N) + one_less (S N)). rewrite (sum_shift whole (S N)).
   replace (one_less (S N)) with 0 by (unfold one_less; rewrite (f_out b N (S N)) by lia; rewrite Rmult_0_r, Z0; reflexivity).
   replace (whole 0%nat) with 0 by (unfold whole; replace (INR 0 / INR (S N) * Definitions.f b (S N) 0) with 0 by (simpl INR; unfold Rdiv; ring); rewrite Z0; reflexivity).
   rewrite Rplus_0_r, Rplus_0_l. apply sum_ext. intros j _. unfold one_less, whole, less.
   assert (W := weighted b N j). rewrite <- !S_INR in W. assert (0 < INR (S N)) by (apply lt_0_INR; lia).
   replace (INR (S j) / INR (S N) * Definitions.f b (S N) (S j)) with (b * Definitions.f b N j). reflexivity.
   apply Rmult_eq_reg_l with (INR (S N)); [| lra]. transitivity (INR (S j) * Definitions.f b (S N) (S j)). rewrite W. ring. field. lra. }
 split.
 - assert (F := blend_forward Row t (look_alike t) b x Hb Hx k (A O) OK (fun s => proj2 (A_range O s)) (ignored t O) (1 - (1 - b) * (1 - b)) eq_refl D (S (S N)) ltac:(unfold N; lia)). fold N in F. unfold tau in F. lra.
 - assert (F := blend_reverse Row t (look_alike t) b x Hb (A O) OK D). set (Z := (1 - b) * E Row b D (A O) + b * E Row b D (fun s => A O (t :: s))) in *.
   assert (Z0 : 0 <= Z). { assert (0 <= E Row b D (A O)) by (apply E_nn; [lra | apply A_range]). assert (0 <= E Row b D (fun s => A O (t :: s))) by (apply E_nn; [lra | intro; apply A_range]). unfold Z. nra. }
   assert (C : / (1 - b) <= b * (2 - b) / (1 - b) * x + (1 - b)).
   { apply Rmult_le_reg_r with (1 - b). lra. rewrite Rinv_l by lra. replace ((b * (2 - b) / (1 - b) * x + (1 - b)) * (1 - b)) with (b * (2 - b) * x + (1 - b) * (1 - b)) by (field; lra).
     assert (0 <= b * (2 - b) * (x - 1)) by (apply Rmult_le_pos; [apply Rmult_le_pos |]; lra). lra. }
   assert (/ (1 - b) * Z <= (b * (2 - b) / (1 - b) * x + (1 - b)) * Z) by (apply Rmult_le_compat_r; lra).
   assert (0 <= delta). { apply Rle_trans with (2 := BM). unfold bad_mass. apply sum_nn. intro j. unfold ind. destruct (isbad _ _ _ _). apply Rmult_le_pos; [lra | apply f_nn; exact Hb]. lra. }
   lra. Qed.

End Definition_of_crowd_blending.
